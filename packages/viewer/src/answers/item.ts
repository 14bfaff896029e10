import { itemsOf, trialsOf } from '@jurist/experiment/internal/results'
import { type ItemResult, outcomeOf, type RunResult, type TrialOutcome } from '@jurist/experiment/result'
import { type Tried, triedIn } from './item-rows.js'
import { neighboursOf, type TrialNeighbours } from './neighbours.js'

/** Identifies a trial within a run. */
export interface TrialName {
  readonly itemId: string
  readonly repetition: number
}

/** A trial and its index in the run; `undefined` if there is no such trial. */
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

/** A whole trial and its neighbours. */
export interface ItemDocument extends TrialNeighbours {
  /** The experiment and the variant of its run. */
  readonly experimentName: string
  readonly variant: string | null
  readonly item: ItemResult
  readonly outcome: TrialOutcome
  /** All repetitions of the same item, this one included. */
  readonly repetitions: readonly (Tried & { readonly repetition: number; readonly outcome: TrialOutcome })[]
}

/** A trial of a run; `undefined` if there is no such trial. The query is that of the list which has its neighbours. */
export async function itemDocument(
  run: RunResult,
  name: TrialName,
  query: URLSearchParams,
): Promise<ItemDocument | undefined> {
  const found = await findTrial(run, name)
  if (found === undefined) return undefined
  const { item } = found
  return {
    experimentName: run.experimentName,
    variant: run.variant,
    item,
    outcome: outcomeOf(item),
    ...(await neighboursOf(run, name, query)),
    repetitions: trialsOf(run)
      .filter((other) => other.itemId === item.itemId)
      .map((other) => ({ repetition: other.repetition, outcome: outcomeOf(other), ...triedIn(other) })),
  }
}
