import type { Judgment, ScoredExtras } from '../judgment.js'
import { fail, pass } from '../judgment.js'

/** Pass when the subject holds, else fail. */
export function concluded(holds: boolean, reasoning: string, extras: ScoredExtras): Judgment {
  return (holds ? pass : fail)(reasoning, extras)
}
