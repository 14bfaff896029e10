import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { type Outcome, outcomeOf } from './outcome.js'

/** One trial, whole, and its neighbours. */
export interface ItemDocument {
  /** The experiment and the variant of its run. */
  readonly experimentName: string
  readonly variant: string | null
  readonly item: ItemResult
  readonly outcome: Outcome
  readonly index: number
  readonly total: number
  readonly previous: TrialName | null
  readonly next: TrialName | null
  /** Other repetitions of the same item, this one among them. */
  readonly repetitions: readonly { readonly repetition: number; readonly outcome: Outcome }[]
}

/** What names a trial in a run. */
export interface TrialName {
  readonly itemId: string
  readonly repetition: number
}

/** A trial of a run; `undefined` when there is none. */
export function itemDocument(run: ExperimentResult, { itemId, repetition }: TrialName): ItemDocument | undefined {
  const index = run.items.findIndex((item) => item.itemId === itemId && item.repetition === repetition)
  const item = run.items[index]
  if (item === undefined) return undefined
  return {
    experimentName: run.experimentName,
    variant: run.variant,
    item,
    outcome: outcomeOf(item),
    index,
    total: run.items.length,
    previous: nameOf(run.items[index - 1]),
    next: nameOf(run.items[index + 1]),
    repetitions: run.items
      .filter((other) => other.itemId === itemId)
      .map((other) => ({ repetition: other.repetition, outcome: outcomeOf(other) })),
  }
}

function nameOf(item: ItemResult | undefined): TrialName | null {
  return item === undefined ? null : { itemId: item.itemId, repetition: item.repetition }
}
