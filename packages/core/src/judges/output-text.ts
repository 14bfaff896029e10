import type { Judge } from '../judge.js'
import { asText } from '../output.js'
import { concluded } from './concluded.js'
import type { ContentRule } from './content-rule.js'
import { contentTest } from './content-rule.js'
import { withoutOutput } from './output-present.js'

/**
 * Passes when the agent's answer, as text, follows the rule; fails when there is no answer.
 * Checks: `output_match`, without an answer `output_present`.
 *
 * @throws `option-invalid` or `pattern-invalid`
 *
 * @example
 * outputText({ contains: 'done' })
 */
export function outputText(rule: ContentRule): Judge {
  const { holds, wants } = contentTest('outputText', rule)
  return async function outputText({ agentOutput }) {
    if (agentOutput === undefined) return withoutOutput()
    const passed = await holds(asText(agentOutput))
    const message = passed ? '' : `does not ${wants}`
    const checks = [{ name: 'output_match', passed, message }]
    return concluded(passed, `the output ${message || 'holds'}`, { checks })
  }
}
