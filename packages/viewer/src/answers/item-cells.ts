import { trialsOf } from '@jurist/experiment/internal/results'
import { outcomeOf, type RunResult, type Trial, type TrialOutcome } from '@jurist/experiment/result'
import { groupBy } from '@jurist/kit/group-by'
import { passesOf, type RowTrials, shownTrial, type Tried, triedIn } from './item-rows.js'
import { suspectText, type TrialLabels } from './labels.js'

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
