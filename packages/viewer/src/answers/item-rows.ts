import { outcomes, trialsOf, triedOf } from '@jurist/experiment/internal/results'
import { outcomeOf, type RunResult, type Trial, type TrialOutcome } from '@jurist/experiment/result'
import { groupBy } from '@jurist/kit/group-by'
import { suspectText, type TrialLabels } from './trial-filters.js'

/** The trials of one row, by run: all trials of an item, or a single trial. */
export interface RowTrials {
  readonly itemId: string
  /** One list for each run, empty if the run does not have the item. */
  readonly byRun: readonly (readonly Trial[])[]
}

export function trialRows(run: RunResult): readonly RowTrials[] {
  return trialsOf(run).map((trial) => ({ itemId: trial.itemId, byRun: [[trial]] }))
}

/** Returns a row for every item of these runs, in the order in which they first appear. */
export function itemRows(runs: readonly RunResult[]): readonly RowTrials[] {
  const rows = new Map<string, { readonly itemId: string; readonly byRun: Trial[][] }>()
  for (const [at, run] of runs.entries())
    for (const trial of trialsOf(run)) {
      const { itemId } = trial
      const row = rows.get(itemId) ?? { itemId, byRun: runs.map(() => []) }
      if (!rows.has(itemId)) rows.set(itemId, row)
      row.byRun[at]?.push(trial)
    }
  return [...rows.values()]
}

export function trialsIn({ byRun }: RowTrials): readonly Trial[] {
  return byRun.length === 1 ? (byRun[0] ?? []) : byRun.flat()
}

/** Chooses the trial that represents several: the first that did not pass, otherwise the first. */
export function shownTrial(trials: readonly Trial[]): Trial | undefined {
  return trials.find(({ passed }) => passed !== true) ?? trials[0]
}

/** Counts the decided and the passed trials. */
export function passesOf(trials: readonly Trial[]): { readonly passes: number; readonly decided: number } {
  let [passes, decided] = [0, 0]
  for (const { passed } of trials) {
    if (passed !== null) decided += 1
    if (passed === true) passes += 1
  }
  return { passes, decided }
}

/** The share of passes among the decided trials; `null` without any. */
export function rateOf(trials: readonly Trial[]): number | null {
  const { passes, decided } = passesOf(trials)
  return decided === 0 ? null : passes / decided
}

/** The mean of the known values; `null` without any. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}

/** The sum of the known values; `null` without any. */
export function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

/** The cost of the agent and the judges of a trial; `null` if neither is known. */
export function wholeCost({ costUsd, judgeCostUsd }: Trial): number | null {
  return sumOf([costUsd, judgeCostUsd])
}

export function scoreAt({ scores }: Trial, key: string): number | null {
  return Object.hasOwn(scores, key) ? (scores[key] ?? null) : null
}

/** The mean of the judges' scores. Without scores, 1 for a pass and 0 for a fail. */
function scoreOf(trial: Trial, keys: readonly string[]): number | null {
  const { passed } = trial
  return meanOf(keys.map((key) => scoreAt(trial, key))) ?? (passed === null ? null : Number(passed))
}

/**
 * How evenly the attempts of a run at an item pass and fail, from 0 to 0.5: the largest value of all runs; `null` below
 * two decided attempts.
 */
export function flakinessOf({ byRun }: RowTrials): number | null {
  const shares = byRun.map(passesOf).flatMap(({ passes, decided }) => {
    return decided < 2 ? [] : [Math.min(passes, decided - passes) / decided]
  })
  return shares.length === 0 ? null : Math.max(...shares)
}

/** The largest pass rate of the runs minus the smallest. For one run, the same of its trials' scores. */
export function spreadOf({ byRun }: RowTrials, scoreKeys: readonly string[]): number | null {
  const values = byRun.length > 1 ? byRun.map(rateOf) : (byRun[0] ?? []).map((trial) => scoreOf(trial, scoreKeys))
  const known = values.filter((value) => value !== null)
  return known.length < 2 ? null : Math.max(...known) - Math.min(...known)
}

/** The rank of a row's gravest outcome. */
export function gravityOf(row: RowTrials): number {
  return Math.min(...trialsIn(row).map((trial) => outcomes.indexOf(outcomeOf(trial))))
}

/** Present if each repetition tries something else, such as a probe or a mutant. */
export interface Tried {
  readonly tried?: string
}

/** Returns what trials tried, if all of them tried the same. */
export function triedIn(...[first, ...others]: readonly Trial[]): Tried {
  const tried = first && triedOf(first)
  return tried !== undefined && others.every((one) => triedOf(one) === tried) ? { tried } : {}
}

/** Trials that share a cell of the grid: one attempt, or the attempts of a variant. */
export interface ItemCell extends Tried {
  /** The outcome of the trial that the cell opens: the first that did not pass, otherwise the first. */
  readonly outcome: TrialOutcome
  readonly repetition: number
  readonly passes: number
  readonly decided: number
  readonly trials: number
  /** The rules by which a scan finds its trials suspect; `''` if it does not. */
  readonly suspects: string
}

/** Returns `null` without trials. */
export function cellOf(trials: readonly Trial[], labels: TrialLabels): ItemCell | null {
  const shown = shownTrial(trials)
  if (shown === undefined) return null
  return {
    outcome: outcomeOf(shown),
    repetition: shown.repetition,
    ...passesOf(trials),
    trials: trials.length,
    suspects: suspectText(trials, labels),
    ...triedIn(...trials),
  }
}

/** A column of the grid: an attempt of one run, or a run. */
export interface GridColumn extends Tried {
  readonly run: string
  /** The variant, or the experiment of a run without one; `#2` for an attempt. */
  readonly name: string
  readonly passes: number
  readonly decided: number
}

/** The columns of the grid, and the trials of a row in each. */
export interface ItemGrid {
  readonly columns: readonly GridColumn[]
  readonly cellsOf: (row: RowTrials) => readonly (readonly Trial[])[]
}

/** Attempts beyond this number are counted, but have no column. */
const maxAttempts = 64

/** Items × attempts for one run, items × runs for several. */
export function gridOf(runs: readonly RunResult[]): ItemGrid {
  const [run] = runs
  if (run !== undefined && runs.length === 1) return attemptsOf(run)
  return {
    columns: runs.map(({ id, variant, experimentName, counts: { passes, decided } }) => ({
      run: id,
      name: variant ?? experimentName,
      passes,
      decided,
    })),
    cellsOf: ({ byRun }) => byRun,
  }
}

function attemptsOf(run: RunResult): ItemGrid {
  const byRepetition = groupBy(trialsOf(run), ({ repetition }) => repetition)
  const repetitions = [...byRepetition.keys()].sort((a, b) => a - b).slice(0, maxAttempts)
  return {
    columns: repetitions.map((repetition) => ({
      run: run.id,
      name: `#${repetition}`,
      ...passesOf(byRepetition.get(repetition) ?? []),
      ...triedIn(...(byRepetition.get(repetition) ?? [])),
    })),
    cellsOf: ({ byRun: [trials = []] }) =>
      repetitions.map((repetition) => trials.filter((trial) => trial.repetition === repetition)),
  }
}
