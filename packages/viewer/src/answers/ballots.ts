import type { Json, Judgment, Verdict } from '@jurist/core'
import type { TierOutcome } from '@jurist/core/internal'
import { isPlainObject, option } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { revisionOf } from './run.js'

/** The part of a judgment that a vote uses. */
export type BallotJudgment = Pick<Judgment, 'status'> & {
  readonly score?: Judgment['score']
  /** The range of the score, if it depends on errors. */
  readonly errorBounds?: Json
}

/** The confidence of a tier with a threshold. Absent if the tier abstained or failed by itself. */
interface Sureness {
  readonly confidence: number
  /** The outcome below the threshold. Absent if the confidence reached it. */
  readonly withheld?: 'pass' | 'fail'
  /** The threshold, stored if the confidence does not reach it. */
  readonly threshold?: number
}

export type VoteOptions = Readonly<Record<string, Json>>

export interface BallotVerdict {
  readonly aggregated: BallotJudgment
  /** The name of the vote, if it was stored. */
  readonly strategy?: string
  /** The options of the vote, including defaults. Verdicts older than this field have at most `onError`. */
  readonly options?: VoteOptions
  /** The member that was added to the jury apart from its vote: both must pass. */
  readonly joined?: string
  /** Only for tiers with a threshold of confidence. */
  readonly sureness?: Sureness
  readonly individual: Readonly<Record<string, BallotJudgment>>
  readonly weights: Readonly<Record<string, number>>
  /** The verdicts of the tiers that ran, by name. Only for a cascade. */
  readonly ran?: Readonly<Record<string, BallotVerdict>>
  readonly tiers?: readonly Pick<TierOutcome, 'name' | 'policy' | 'outcome'>[]
}

/** The ballots of every trial. Equal verdicts are listed once. */
export interface BallotsDocument {
  readonly revision: string
  readonly verdicts: readonly BallotVerdict[]
  readonly trials: readonly {
    readonly itemId: string
    readonly repetition: number
    readonly passed: boolean | null
    /** An index of `verdicts`; -1 without a verdict. */
    readonly verdict: number
  }[]
}

export function ballotsDocument(run: ExperimentResult): BallotsDocument {
  const places = new Map<string, number>()
  const verdicts: BallotVerdict[] = []
  const placeOf = ({ verdict }: ItemResult) => {
    if (verdict === null) return -1
    const ballots = ballotVerdict(verdict)
    const key = JSON.stringify(ballots)
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, verdicts.length)
    return verdicts.push(ballots) - 1
  }
  const trials = run.items.map((item) => {
    const { itemId, repetition, passed } = item
    return { itemId, repetition, passed, verdict: placeOf(item) }
  })
  return { revision: revisionOf(run), verdicts, trials }
}

function ballotVerdict({ aggregated, individual, weights, subVerdicts, tiers }: Verdict): BallotVerdict {
  return {
    aggregated: ballotOf(aggregated),
    ...votedBy(aggregated),
    ...(typeof aggregated.metadata.joined === 'string' ? { joined: aggregated.metadata.joined } : {}),
    individual: mapped(individual, ballotOf),
    weights,
    ...(tiers === undefined
      ? {}
      : {
          ran: mapped(subVerdicts, (ran, tier) => ({
            ...ballotVerdict(ran),
            ...(tiers.find(({ name }) => name === tier)?.policy === 'decide-when-confident' ? surenessOf(ran) : {}),
          })),
          tiers: tiers.map(({ name, policy, outcome }) => ({ name, policy, outcome })),
        }),
  }
}

function ballotOf({ status, score, metadata: { errorBounds } }: Judgment): BallotJudgment {
  return {
    status,
    ...(score === undefined ? {} : { score }),
    ...(errorBounds === undefined ? {} : { errorBounds }),
  }
}

function surenessOf({ aggregated: { metadata } }: Verdict): Pick<BallotVerdict, 'sureness'> {
  const { confidence, withheld, threshold } = metadata
  if (!option.rate.holds(confidence)) return {}
  const known = { confidence: Number(confidence) }
  if (withheld !== 'pass' && withheld !== 'fail') return { sureness: known }
  return { sureness: { ...known, withheld, ...(typeof threshold === 'number' ? { threshold } : {}) } }
}

function votedBy({ metadata: { aggregation } }: Judgment): Pick<BallotVerdict, 'strategy' | 'options'> {
  if (!isPlainObject(aggregation) || typeof aggregation.strategy !== 'string') return {}
  const { strategy, options, onError } = aggregation
  if (isPlainObject(options)) return { strategy, options: options as VoteOptions }
  return typeof onError === 'string' ? { strategy, options: { onError } } : { strategy }
}

function mapped<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
}
