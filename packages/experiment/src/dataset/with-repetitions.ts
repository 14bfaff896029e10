import type { Dataset } from './dataset.js'
import type { ItemReading } from './dataset-source.js'
import type { DatasetItem, UnhashedItem } from './item.js'
import { datasetOf, sourceOf } from './read-dataset.js'

/** How often an item runs; `null`: as often as the experiment says. */
export type RepetitionsOf = (item: Pick<DatasetItem, 'id' | 'repetitions'>) => number | null

/**
 * The same dataset, whose items run as often as the caller says. Their hashes stay: a run of them is about the same tasks.
 *
 * @example
 * const once = withRepetitions(await openDataset('dataset'), () => 1)
 */
export function withRepetitions(dataset: Dataset, repetitionsOf: RepetitionsOf): Dataset {
  const source = sourceOf(dataset)
  if (source === undefined) return ofFunctions(dataset, repetitionsOf)
  return datasetOf({
    ...source,
    async *read(wanted) {
      for await (const readings of source.read(wanted)) yield readings.map((reading) => changed(reading, repetitionsOf))
    },
    readAt: async (position) => changed(await source.readAt(position), repetitionsOf),
  })
}

function changed(reading: ItemReading, repetitionsOf: RepetitionsOf): ItemReading {
  const { item } = reading
  return item === null ? reading : { ...reading, item: repeated<UnhashedItem>(item, repetitionsOf), hash: () => reading.hash() }
}

function repeated<Item extends UnhashedItem>(item: Item, repetitionsOf: RepetitionsOf): Item {
  return Object.freeze({ ...item, repetitions: repetitionsOf(item) })
}

function ofFunctions(dataset: Dataset, repetitionsOf: RepetitionsOf): Dataset {
  return Object.freeze<Dataset>({
    ...dataset,
    async *items(filter) {
      for await (const item of dataset.items(filter)) yield repeated(item, repetitionsOf)
    },
    item: async (id) => repeated(await dataset.item(id), repetitionsOf),
  })
}
