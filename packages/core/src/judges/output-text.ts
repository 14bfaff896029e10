import type { Judge } from '../judge.js'
import { abstain } from '../judgment.js'
import { asText } from '../output.js'
import { concluded } from './concluded.js'
import type { ContentRule } from './content-rule.js'
import { contentTest } from './content-rule.js'

/**
 * Passes when the agent's answer, as text, follows the rule; abstains when there is no answer.
 *
 * @throws `option-invalid` or `pattern-invalid`
 *
 * @example
 * outputText({ contains: 'done' })
 */
export function outputText(rule: ContentRule): Judge {
  const { holds, wants } = contentTest('outputText', rule)
  return async function outputText({ agentOutput }) {
    if (agentOutput === undefined) return abstain('the agent gave no output')
    const passed = await holds(asText(agentOutput))
    const message = passed ? '' : `does not ${wants}`
    const checks = [{ name: 'output_match', passed, message }]
    return concluded(passed, `the output ${message || 'holds'}`, { checks })
  }
}
