import type { JudgmentContext } from '../context.js'
import { withoutOutput } from '../judges/output-text.js'
import { type AbstainJudgment, abstain, type FailJudgment } from '../judgment.js'
import type { Turn } from '../turn.js'

/** A turn with its place in the conversation. */
export interface NumberedTurn extends Turn {
  /** From 1, over all turns. */
  readonly number: number
}

/** The turns of one side that are to be judged: those of the history are not. */
export function ownTurns(turns: readonly Turn[], role: Turn['role']): readonly NumberedTurn[] {
  return turns
    .map((turn, index) => ({ ...turn, number: index + 1 }))
    .filter((turn) => turn.role === role && turn.isHistory === undefined)
}

/**
 * The judgment where there are no turns to judge: an abstention when the trial is no conversation, a fail when the agent said
 * nothing in it. `undefined` when there are some.
 */
export function missingTurns(
  { turns }: JudgmentContext,
  role: Turn['role'] = 'agent',
): AbstainJudgment | FailJudgment | undefined {
  if (turns === undefined)
    return abstain('the trial is no conversation: it has no turns', { metadata: { turns: 'unknown' } })
  if (ownTurns(turns, role).length > 0) return undefined
  return role === 'agent' ? withoutOutput() : abstain('the user said nothing')
}
