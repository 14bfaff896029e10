import type { TestHarness } from '@jurist/core/testing'
import type { Dataset } from '../dataset/dataset.js'
import type { DatasetItem, ItemFilter } from '../dataset/item.js'
import { expectCode, expectSame, expectThat } from './records.js'

/** How the dataset to be tested is opened: each time the same, with at least one active item. */
export interface DatasetContractSetup {
  readonly open: () => Promise<Dataset>
}

/**
 * The contract of every dataset: items come in the order of its entries and are frozen, filters select, only active items
 * are returned by default, ids are unique, hashes are stable.
 *
 * @example
 * import { openDataset } from '@jurist/experiment'
 * import { datasetContract } from '@jurist/experiment/testing'
 * import { describe, test } from 'vitest'
 *
 * datasetContract({ describe, test }, 'my rows', { open: () => openDataset('rows.jsonl') })
 */
export function datasetContract({ describe, test }: TestHarness, name: string, setup: DatasetContractSetup): void {
  describe(`${name} keeps the dataset contract`, () => {
    test('items come in the order of the entries, each once', async () => {
      const dataset = await setup.open()
      const ids = dataset.entries.map(({ id }) => id)
      expectSame(await idsOf(dataset, { status: 'any' }), ids, 'items')
      expectThat(new Set(ids).size === ids.length, 'an id occurs twice')
    })
    test('only active items come unasked', async () => {
      const dataset = await setup.open()
      const active = dataset.entries.filter(({ status }) => status === 'active').map(({ id }) => id)
      expectThat(active.length > 0, 'the contract needs an active item')
      expectSame(await idsOf(dataset), active, 'items')
    })
    test('filters select', async () => {
      const dataset = await setup.open()
      for (const { id } of dataset.entries) expectSame(await idsOf(dataset, { id, status: 'any' }), [id], `item ${id}`)
      expectSame(await idsOf(dataset, { or: [] }), [], 'nothing')
      await expectCode(idsOf(dataset, { unknown: 1 } as never), 'option-invalid')
    })
    test('an item is found by its id, frozen, and the same as in the list', async () => {
      const dataset = await setup.open()
      for await (const item of dataset.items({ status: 'any' })) {
        expectThat(Object.isFrozen(item), `item ${item.id} is not frozen`)
        expectSame(await dataset.item(item.id), item, `item ${item.id}`)
      }
      await expectCode(dataset.item('no such item'), 'item-unknown')
    })
    test('what is described is what is selected, and the same each time', async () => {
      const [dataset, again] = [await setup.open(), await setup.open()]
      const version = await dataset.describe()
      const selected = (await idsOf(dataset)).length
      expectSame([version.activeItemCount, version.selectedItemCount], [selected, selected], 'counts')
      expectSame([version.name, version.version], [dataset.name, dataset.version], 'name and version')
      expectSame((await again.describe()).hash, version.hash, 'hash')
      expectSame(await hashesOf(again), await hashesOf(dataset), 'hashes of the items')
    })
    test('it has no errors', async () => {
      const problems = await (await setup.open()).problems({ status: 'any' })
      const errors = problems.filter(({ severity }) => severity === 'error')
      expectSame(errors, [], 'errors')
    })
  })
}

async function itemsOf(dataset: Dataset, filter?: ItemFilter): Promise<readonly DatasetItem[]> {
  const items: DatasetItem[] = []
  for await (const item of dataset.items(filter)) items.push(item)
  return items
}

async function idsOf(dataset: Dataset, filter?: ItemFilter): Promise<readonly string[]> {
  return (await itemsOf(dataset, filter)).map(({ id }) => id)
}

async function hashesOf(dataset: Dataset): Promise<readonly string[]> {
  return (await itemsOf(dataset, { status: 'any' })).map(({ hash }) => hash)
}
