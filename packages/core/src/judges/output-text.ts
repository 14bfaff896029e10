import { giveInfo, type Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { concluded, type FailJudgment } from '../judgment.js'
import { asText } from '../output.js'
import { unjudgeable } from '../unjudgeable.js'
import { type ContentRule, contentOptions, contentTest, type DescribedRule } from './content-rule.js'

/**
 * Passes when the agent's answer, as text, follows the rule; fails when there is no answer.
 * Checks: `output_match`, without an answer `output_present`.
 *
 * @throws `option-invalid` or `pattern-invalid`
 *
 * @example
 * import { outputText } from '@jurist/core'
 *
 * outputText({ contains: 'done' })
 */
export function outputText(rule: ContentRule): Judge {
  const { holds, wants } = contentTest('outputText', rule)
  return giveInfo(
    async function outputText({ agentOutput }) {
      if (agentOutput === undefined) return withoutOutput()
      const passed = await holds(asText(agentOutput))
      const message = passed ? '' : `does not ${wants}`
      const checks = [{ name: 'output_match', passed, message }]
      return concluded(passed, `the output ${message || 'holds'}`, { checks })
    },
    { options: rule },
  )
}

describeJudge<DescribedRule>(outputText, {
  passes: "the agent's answer, as text, follows a rule",
  options: contentOptions,
  make: (rule) => outputText(rule as ContentRule),
})

/**
 * The judgment of an agent that gave no output where an output is judged: a FAIL, since silence is the agent's own choice.
 * Every judge of outputs returns it, with the check `output_present`.
 */
export function withoutOutput(): FailJudgment {
  return unjudgeable('the agent gave no output', { code: 'output_present' })
}
