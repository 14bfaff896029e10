import { scoreBounds } from '@jurist/kit/score-bounds'
import type { JudgmentContext } from '../context.js'
import type { JsonObject } from '../json.js'
import { withoutOutput } from '../judges/output-text.js'
import { type AbstainJudgment, abstain, type FailJudgment, type Judgment, scored } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import type { Turn } from '../turn.js'
import type { Usage } from '../usage.js'

export interface NumberedTurn extends Turn {
  /** From 1, over all turns. */
  readonly number: number
}

/** Leaves out turns of the history, which are not judged. */
export function ownTurns(turns: readonly Turn[], role: Turn['role']): readonly NumberedTurn[] {
  return turns
    .map((turn, index) => ({ ...turn, number: index + 1 }))
    .filter((turn) => turn.role === role && turn.isHistory === undefined)
}

/**
 * Abstains when the trial is not a conversation; fails when the agent sent no message in it. `undefined` when there are
 * turns to judge.
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

interface Found {
  /** The plural noun of the share, such as `turns`. */
  readonly what: string
  /** One for each turn or fact. */
  readonly checks: readonly Check[]
  /** The share that passes. */
  readonly threshold: number
  readonly metadata?: JsonObject
  readonly usage?: Usage
  readonly costUsd?: number
}

/**
 * The metadata contain the number of turns and the 95 % interval of Wilson (1927), because three turns of three prove
 * less than thirty of thirty.
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
