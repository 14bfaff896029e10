import type { DatasetItem } from '@jurist/experiment'
import type { DecidedTrial } from '../establish/established-item.js'
import { referenceName } from '../reference-agent.js'
import { seededOrder } from '../seeded-order.js'
import type { Probe } from './probe.js'

export const idleName = 'idle'

/** The probes of an item in the order of its repetitions. `reference` is the right answer. */
export type ItemPlan = readonly (Probe | typeof referenceName)[]

/**
 * The items on which probes are tried, and the number of items that are left out because their right answer is no
 * change.
 */
export interface TriedItems {
  readonly items: ReadonlyMap<string, DatasetItem>
  readonly noChange: number
}

/** The probes that can be tried on each item. */
export type Applicable = ReadonlyMap<string, readonly Probe[]>

export async function triedItems(selected: AsyncIterable<DatasetItem>): Promise<TriedItems> {
  const items = new Map<string, DatasetItem>()
  let noChange = 0
  for await (const item of selected)
    if (item.noChange) noChange++
    else items.set(item.id, item)
  return { items, noChange }
}

/** Plans the right answer, if there is one, and `idle`, unless their judgments are already known; then the probes. */
export function planFor(
  { reference, expectedOutput }: DatasetItem,
  probes: readonly Probe[],
  known: DecidedTrial | undefined,
): ItemPlan {
  const hasAnswer = reference !== null || expectedOutput !== null
  return [
    ...(hasAnswer && (known?.reference ?? null) === null ? ([referenceName] as const) : []),
    ...probes.filter(({ name }) => name !== idleName || (known?.idle ?? null) === null),
  ]
}

/**
 * Narrows each probe except `idle` to one item. The seed determines the item, and items take turns.
 *
 * @param isTelling whether a probe that passes this item proves something
 */
export function narrowed(applicable: Applicable, seed: number, isTelling: (itemId: string) => boolean): Applicable {
  const ids = seededOrder([...applicable.keys()], `${seed}`, (id) => id)
  const chosen = new Map(ids.map((id) => [id, [] as Probe[]]))
  const all = [...new Set(ids.flatMap((id) => applicable.get(id) ?? []))]
  for (const probe of all) {
    const fitting = ids.filter((id) => applicable.get(id)?.includes(probe))
    const telling = fitting.filter(isTelling)
    const among = probe.name === idleName ? fitting : [leastOf(telling.length > 0 ? telling : fitting, chosen)]
    for (const id of among) chosen.get(id)?.push(probe)
  }
  return chosen
}

function leastOf(ids: readonly string[], chosen: ReadonlyMap<string, readonly Probe[]>): string {
  const count = (id: string) => chosen.get(id)?.length ?? 0
  return ids.reduce((least, id) => (count(id) < count(least) ? id : least))
}

export function nameOf(step: ItemPlan[number]): string {
  return typeof step === 'string' ? step : step.name
}
