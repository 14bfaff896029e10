import type { Dataset } from './dataset.js'
import type { ItemReading } from './dataset-source.js'
import type { DatasetItem } from './item.js'
import { datasetOf, sourceOf } from './read-dataset.js'

/**
 * Fields of an item that may change without making it another task: its repetitions, a jury of the program, and its named
 * tests.
 */
type ItemChange = Partial<Pick<DatasetItem, 'repetitions' | 'jury' | 'testsLock'>>

type ChangeOf = (item: Pick<DatasetItem, 'id' | 'repetitions' | 'jury'>) => ItemChange

/**
 * The same dataset with other repetitions or another jury for its items. Hashes stay the same, since a run of the items
 * concerns the same tasks.
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
