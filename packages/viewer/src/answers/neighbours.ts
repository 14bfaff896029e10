import type { TrialName } from '@jurist/experiment/internal/results'
import type { RunResult, Trial } from '@jurist/experiment/result'
import { type RowTrials, shownTrial, trialsIn } from './item-rows.js'
import { selectedItems } from './item-selection.js'
import { chosenFilters, fitsFilters } from './trial-filters.js'

/** The place of a trial in the list of its run. */
export interface TrialNeighbours {
  readonly index: number
  readonly total: number
  readonly previous: TrialName | null
  readonly next: TrialName | null
}

/**
 * The neighbours of a trial in the list that the query describes, as the table of the run shows it: of a run with several
 * attempts the rows are items, unless `by=trial`. Where the filters leave the trial out, the list is the whole run.
 */
export async function neighboursOf(run: RunResult, name: TrialName, query: URLSearchParams): Promise<TrialNeighbours> {
  const search = new URLSearchParams(query)
  const isByItem = query.get('by') !== 'trial' && run.passAtK.some(({ k }) => k > 1)
  if (isByItem) search.set('by', 'item')
  const { rows } = await selectedItems([run], search)
  const isAt = (row: RowTrials) =>
    row.itemId === name.itemId && (isByItem || trialsIn(row).some(({ repetition }) => repetition === name.repetition))
  const at = rows.findIndex(isAt)
  const whole = new URLSearchParams({ by: 'trial' })
  if (at < 0 && search.toString() !== whole.toString()) return neighboursOf(run, name, whole)
  const chosen = chosenFilters(search)
  const opened = (row: RowTrials | undefined): TrialName | null => {
    const trials = row === undefined ? [] : trialsIn(row)
    return nameOf(shownTrial(trials.filter((trial) => fitsFilters(trial, chosen))) ?? trials[0])
  }
  return { index: at, total: rows.length, previous: opened(rows[at - 1]), next: opened(rows[at + 1]) }
}

function nameOf(trial: Trial | undefined): TrialName | null {
  return trial === undefined ? null : { itemId: trial.itemId, repetition: trial.repetition }
}
