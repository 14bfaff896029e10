import type { FailJudgment } from '../judgment.js'
import { unjudgeable } from '../unjudgeable.js'

/**
 * The judgment of an agent that gave no output where an output is judged: a FAIL, for silence is the agent's own choice.
 * The one answer of every judge that judges an output, with the check `output_present`.
 */
export function withoutOutput(): FailJudgment {
  return unjudgeable('the agent gave no output', { code: 'output_present' })
}
