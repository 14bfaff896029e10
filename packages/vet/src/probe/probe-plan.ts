import type { DatasetItem } from '@jurist/experiment'
import { referenceName } from '../reference-agent.js'
import type { Probe } from './probe.js'

/** The name of the probe that does nothing. */
export const idleName = 'idle'

/** The probes of an item in the order of its repetitions; `reference` is the right answer. */
export type ItemPlan = readonly (Probe | typeof referenceName)[]

/** The items on which probes are tried, and how many are left out since their right answer is to change nothing. */
export interface TriedItems {
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly noChange: number
}

/** Reads the items on which probes are tried. */
export async function triedItems(selected: AsyncIterable<DatasetItem>): Promise<TriedItems> {
  const items = new Map<string, DatasetItem>()
  let noChange = 0
  for await (const item of selected)
    if (item.noChange) noChange++
    else items.set(item.id, item)
  return { items, noChange }
}

/** The right answer, where there is one, then the probes. */
export function planFor({ reference, expectedOutput }: DatasetItem, probes: readonly Probe[]): ItemPlan {
  return [...(reference === null && expectedOutput === null ? [] : ([referenceName] as const)), ...probes]
}

/** The name of a step of a plan. */
export function nameOf(step: ItemPlan[number]): string {
  return typeof step === 'string' ? step : step.name
}
