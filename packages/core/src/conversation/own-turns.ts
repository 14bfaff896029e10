import { scoreBounds } from '@jurist/kit/score-bounds'
import type { JudgmentContext } from '../context.js'
import type { JsonObject } from '../json.js'
import { withoutOutput } from '../judges/output-text.js'
import { type AbstainJudgment, abstain, type FailJudgment, type Judgment, scored } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import type { Turn } from '../turn.js'
import type { Usage } from '../usage.js'

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
    return abstain('the trial is not a conversation: it has no turns', { metadata: { turns: 'unknown' } })
  if (ownTurns(turns, role).length > 0) return undefined
  return role === 'agent' ? withoutOutput() : abstain('the user said nothing')
}

/** The 0.975 quantile of the normal distribution. */
const quantile = 1.959963984540054
const level = 0.95

/** What was found in each turn (or fact) of a conversation. */
interface Found {
  /** Of what the share is, in the plural: `turns`. */
  readonly what: string
  /** One for each that was judged. */
  readonly checks: readonly Check[]
  /** The share that passes. */
  readonly threshold: number
  readonly metadata?: JsonObject
  readonly usage?: Usage
  readonly costUsd?: number
}

/**
 * The judgment by the share of the turns that hold, with the number of turns and the 95 % interval of Wilson (1927) in the
 * metadata: three turns of three say less than thirty of thirty.
 */
export function shareJudgment({ what, checks, threshold, metadata, usage, costUsd }: Found): Judgment {
  const passed = checks.filter((check) => check.passed).length
  const share = passed / checks.length
  const first = checks.find((check) => !check.passed)
  const why = first === undefined || first.message === '' ? '' : `: ${first.name}: ${first.message}`
  return scored(share, {
    passingAt: threshold,
    reasoning: `${passed} of ${checks.length} ${what} hold${why}`,
    checks,
    metadata: {
      ...metadata,
      [what]: checks.length,
      passed,
      interval: { ...scoreBounds(share, checks.length, quantile), level, method: 'wilson' },
    },
    usage,
    costUsd,
  })
}
