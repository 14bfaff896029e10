import type { JudgmentContext } from '../context.js'
import type { AbstainJudgment, Judgment } from '../judgment.js'
import { abstain } from '../judgment.js'
import type { JudgeModelResponse } from './model.js'

/** Makes a judgment of what a model answered. An answer that it cannot read abstains: it is never a fail. */
export type Classify = (response: JudgeModelResponse, context: JudgmentContext) => Judgment | Promise<Judgment>

/** Why an answer could not be read: nothing was found in it, or more than one thing. */
export type Unread = 'none' | 'ambiguous'

/** The abstention for an answer that could not be read. */
export function unreadable(unread: Unread, reasoning: string): AbstainJudgment {
  return abstain(reasoning, { metadata: { unread } })
}
