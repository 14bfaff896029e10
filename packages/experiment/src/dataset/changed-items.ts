import type { Dataset } from './dataset.js'
import type { ItemReading } from './dataset-source.js'
import type { DatasetItem } from './item.js'
import { datasetOf, sourceOf } from './read-dataset.js'

/** What may differ in an item without another task: how often it runs, a jury of the program, and its named tests. */
type ItemChange = Partial<Pick<DatasetItem, 'repetitions' | 'jury' | 'testsLock'>>

type ChangeOf = (item: Pick<DatasetItem, 'id' | 'repetitions' | 'jury'>) => ItemChange

/**
 * The same dataset, whose items run as often as the caller says, or are judged by another jury of the program. Their hashes
 * stay: a run of them is about the same tasks.
 */
export function changedItems(dataset: Dataset, changeOf: ChangeOf): Dataset {
  const source = sourceOf(dataset)
  if (source === undefined) return ofFunctions(dataset, changeOf)
  return datasetOf({
    ...source,
    async *read(wanted) {
      for await (const readings of source.read(wanted)) yield readings.map((reading) => changed(reading, changeOf))
    },
    readAt: async (position) => changed(await source.readAt(position), changeOf),
  })
}

function changed(reading: ItemReading, changeOf: ChangeOf): ItemReading {
  const { item } = reading
  if (item === null) return reading
  return { ...reading, item: Object.freeze({ ...item, ...changeOf(item) }), hash: () => reading.hash() }
}

function ofFunctions(dataset: Dataset, changeOf: ChangeOf): Dataset {
  const changedItem = (item: DatasetItem) => Object.freeze({ ...item, ...changeOf(item) })
  return Object.freeze<Dataset>({
    ...dataset,
    async *items(filter) {
      for await (const item of dataset.items(filter)) yield changedItem(item)
    },
    item: async (id) => changedItem(await dataset.item(id)),
  })
}
