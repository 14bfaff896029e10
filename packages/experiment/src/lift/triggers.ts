import { effectiveWilson } from '../result/statistics/rate-intervals.js'
import type { Interval } from '../result/summary.js'
import type { RunResult, Trial } from '../result/trial-figures.js'
import { trialsOf } from '../result/trial-figures.js'
import { factOf, liftFacts } from './lift.js'

/** The trials of one query. */
interface FiredQuery {
  readonly id: string
  readonly fired: number
  /** The trials that ended, and whose journal shows what was called. */
  readonly trials: number
}

/** The queries on which the subject should fire, or those on which it should not. */
export interface TriggerSide {
  readonly queries: readonly FiredQuery[]
  /** Queries that fired in more than half of their trials, in fewer, and in just half. */
  readonly fired: number
  readonly not: number
  readonly ties: number
  /** Over trials; the interval by query. */
  readonly rate: number | null
  readonly interval: Interval | null
  readonly trials: { readonly fired: number; readonly of: number }
}

/** Should-fire × fired. */
export interface Triggers {
  readonly should: TriggerSide
  readonly shouldNot: TriggerSide
  /** Trials that ended by the fault of the infrastructure, or whose journal shows no calls. */
  readonly leftOut: number
}

/** @param queries what was asked, by the ids of items */
export function triggersOf(
  run: RunResult,
  queries: readonly { readonly id: string; readonly should: boolean }[],
): Triggers {
  const trials = trialsOf(run)
  const counted = queries.map(({ id, should }) => {
    const seen = trials.flatMap((trial) => (trial.itemId === id ? (firedIn(trial) ?? []) : []))
    return { should, query: { id, fired: seen.filter((isFired) => isFired).length, trials: seen.length } }
  })
  const side = (wanted: boolean) => sideOf(counted.flatMap(({ should, query }) => (should === wanted ? [query] : [])))
  const [should, shouldNot] = [side(true), side(false)]
  return { should, shouldNot, leftOut: trials.length - should.trials.of - shouldNot.trials.of }
}

/** `undefined`: a trial that ended too early, or whose journal shows nothing. */
function firedIn(trial: Trial): boolean | undefined {
  const isFired = factOf(trial, liftFacts.used)
  if (typeof isFired !== 'boolean' || trial.failure?.infrastructure === true) return undefined
  return trial.agent === 'completed' || isFired ? isFired : undefined
}

function sideOf(queries: readonly FiredQuery[]): TriggerSide {
  const seen = queries.filter(({ trials }) => trials > 0)
  const count = (holds: (sign: number) => boolean) =>
    seen.filter(({ fired, trials }) => holds(Math.sign(2 * fired - trials))).length
  const sum = (name: 'fired' | 'trials') => seen.reduce((all, one) => all + one[name], 0)
  const units = seen.map(({ fired, trials }) => ({ matches: fired, trials }))
  return {
    queries,
    fired: count((sign) => sign > 0),
    not: count((sign) => sign < 0),
    ties: count((sign) => sign === 0),
    rate: sum('trials') === 0 ? null : sum('fired') / sum('trials'),
    interval: effectiveWilson(units, 0.95),
    trials: { fired: sum('fired'), of: sum('trials') },
  }
}
