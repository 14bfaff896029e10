import type { KeptFinding } from '@jurist/experiment/internal/journal'
import { itemsOf, quarantineReason, type TrialName, trialsOf, trialText } from '@jurist/experiment/internal/results'
import { type ItemResult, outcomeOf, type RunResult, type Trial, type TrialOutcome } from '@jurist/experiment/result'
import type { Attempt } from './comparison.js'
import { type RowTrials, shownTrial, type Tried, trialsIn, triedIn } from './item-rows.js'
import { selectedItems } from './item-selection.js'
import { variantsOf } from './run.js'
import type { RunReader } from './run-reader.js'
import { chosenFilters, fitsFilters, type TrialLabels, trialLabels } from './trial-filters.js'

/** Finds a trial and its index in the run; `undefined` if there is no such trial. */
export async function findTrial(
  run: RunResult,
  { itemId, repetition }: TrialName,
): Promise<{ readonly index: number; readonly item: ItemResult } | undefined> {
  const trials = trialsOf(run)
  const index = trials.findIndex((trial) => trial.itemId === itemId && trial.repetition === repetition)
  const found = trials[index]
  const [item] = found === undefined ? [] : await itemsOf(run, [found])
  return item && { index, item }
}

export interface ItemDocument extends TrialNeighbours {
  /** The name of the experiment of the run. */
  readonly experimentName: string
  readonly variant: string | null
  readonly item: ItemResult
  readonly outcome: TrialOutcome
  /** Why the item, or one of its judges, counts nowhere; `''`: all of it counts. */
  readonly quarantine: string
  /** The findings of the last scan of the run. */
  readonly findings: readonly KeptFinding[]
  /** All repetitions of the same item, including this one. */
  /** Whether other variants of the session may have tried the item. */
  readonly hasVariants: boolean
  readonly repetitions: readonly (Tried & { readonly repetition: number; readonly outcome: TrialOutcome })[]
}

/**
 * Reads a trial of a run; `undefined` if there is no such trial. The query is that of the list that contains its
 * neighbours.
 */
export async function itemDocument(
  run: RunResult,
  name: TrialName,
  query: URLSearchParams,
  reader: RunReader,
): Promise<ItemDocument | undefined> {
  const found = await findTrial(run, name)
  if (found === undefined) return undefined
  const { item } = found
  return {
    experimentName: run.experimentName,
    variant: run.variant,
    item,
    outcome: outcomeOf(item),
    quarantine: quarantineReason(run, item.itemId),
    findings: (await reader.scan(run))?.findings.filter((one) => trialText(one) === trialText(item)) ?? [],
    ...(await neighboursOf(run, name, { query, labels: await trialLabels([run], reader) })),
    hasVariants: variantsOf(run, await reader.entries()).length > 1,
    repetitions: trialsOf(run)
      .filter((other) => other.itemId === item.itemId)
      .map((other) => ({ repetition: other.repetition, outcome: outcomeOf(other), ...triedIn(other) })),
  }
}

/** The attempts of another variant at the item of a trial. */
export interface OtherVariant {
  readonly run: string
  readonly name: string
  readonly attempts: readonly Attempt[]
}

/** Finds the attempts of the other variants of a session at an item. */
export async function otherVariants(
  run: RunResult,
  itemId: string,
  reader: RunReader,
): Promise<readonly OtherVariant[]> {
  const others: OtherVariant[] = []
  for (const { id } of variantsOf(run, await reader.entries())) {
    const other = id === run.id ? undefined : await reader.run(id)
    const trials = other === undefined ? [] : trialsOf(other).filter((trial) => trial.itemId === itemId)
    if (other === undefined || trials.length === 0) continue
    const attempts = trials.map((trial) => ({ repetition: trial.repetition, outcome: outcomeOf(trial) }))
    others.push({ run: id, name: other.variant ?? other.experimentName, attempts })
  }
  return others
}

interface TrialNeighbours {
  readonly index: number
  readonly total: number
  readonly previous: TrialName | null
  readonly next: TrialName | null
}

/**
 * Finds the neighbours of a trial in the list that the query describes, as the table of the run shows it: if a run has
 * several attempts, the rows are items unless `by=trial`. If the filters leave the trial out, the list is the whole
 * run.
 */
async function neighboursOf(
  run: RunResult,
  name: TrialName,
  { query, labels }: { readonly query: URLSearchParams; readonly labels: TrialLabels },
): Promise<TrialNeighbours> {
  const search = new URLSearchParams(query)
  const isByItem = query.get('by') !== 'trial' && run.passAtK.some(({ k }) => k > 1)
  if (isByItem) search.set('by', 'item')
  const { rows } = await selectedItems([run], search, labels)
  const isAt = (row: RowTrials) =>
    row.itemId === name.itemId && (isByItem || trialsIn(row).some(({ repetition }) => repetition === name.repetition))
  const at = rows.findIndex(isAt)
  const whole = new URLSearchParams({ by: 'trial' })
  if (at < 0 && search.toString() !== whole.toString()) return neighboursOf(run, name, { query: whole, labels })
  const chosen = chosenFilters(search, labels)
  const opened = (row: RowTrials | undefined): TrialName | null => {
    const trials = row === undefined ? [] : trialsIn(row)
    return nameOf(shownTrial(trials.filter((trial) => fitsFilters(trial, chosen))) ?? trials[0])
  }
  return { index: at, total: rows.length, previous: opened(rows[at - 1]), next: opened(rows[at + 1]) }
}

function nameOf(trial: Trial | undefined): TrialName | null {
  return trial === undefined ? null : { itemId: trial.itemId, repetition: trial.repetition }
}
