import type { Judgment, TierOutcome, Verdict } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { revisionOf } from './revision.js'

/** What of a judgment a vote looks at. */
export type BallotJudgment = Pick<Judgment, 'status'> & { readonly score?: Judgment['score'] }

/** What of a verdict can be voted on again. */
export interface BallotVerdict {
  readonly aggregated: BallotJudgment
  /** How it was voted, where the vote said so. */
  readonly strategy?: string
  readonly individual: Readonly<Record<string, BallotJudgment>>
  readonly weights: Readonly<Record<string, number>>
  /** Of the tiers that ran, by name; only in a cascade. */
  readonly ran?: Readonly<Record<string, BallotVerdict>>
  readonly tiers?: readonly Pick<TierOutcome, 'name' | 'policy' | 'outcome'>[]
}

/** Every trial's ballots; equal verdicts are told once. */
export interface BallotsDocument {
  readonly revision: string
  readonly verdicts: readonly BallotVerdict[]
  readonly trials: readonly {
    readonly itemId: string
    readonly repetition: number
    readonly passed: boolean | null
    /** Place in `verdicts`; -1 without one. */
    readonly verdict: number
  }[]
}

/** The ballots of a run. */
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
  const strategy = strategyOf(aggregated)
  return {
    aggregated: ballotOf(aggregated),
    ...(strategy === undefined ? {} : { strategy }),
    individual: mapped(individual, ballotOf),
    weights,
    ...(tiers === undefined
      ? {}
      : {
          ran: mapped(subVerdicts, ballotVerdict),
          tiers: tiers.map(({ name, policy, outcome }) => ({ name, policy, outcome })),
        }),
  }
}

function ballotOf({ status, score }: Judgment): BallotJudgment {
  return score === undefined ? { status } : { status, score }
}

function strategyOf({ metadata }: Judgment): string | undefined {
  const { aggregation } = metadata
  const strategy =
    typeof aggregation === 'object' && aggregation !== null && 'strategy' in aggregation ? aggregation.strategy : null
  return typeof strategy === 'string' ? strategy : undefined
}

function mapped<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
