import { giveInfo, type Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { concluded, type FailJudgment } from '../judgment.js'
import { asText } from '../output.js'
import { unjudgeable } from '../unjudgeable.js'
import { type ContentRule, contentOptions, contentTest, type DescribedRule } from './content-rule.js'

/**
 * Passes when the agent's answer, converted to a string, follows the rule; fails without an answer. The check is
 * `output_match`, or `output_present` without an answer.
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

/** A missing output is a FAIL, because an agent may not choose to be undecided. Every judge of outputs uses it. */
export function withoutOutput(): FailJudgment {
  return unjudgeable('the agent gave no output', { code: 'output_present' })
}
