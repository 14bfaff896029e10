import { storeOver } from '@jurist/experiment/store-kit'
import { aResult, resultStoreContract } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { mapBackend } from '../../../../examples/own-store/map-backend.js'

resultStoreContract({ describe, test }, 'a store of one’s own', { open: async () => storeOver(mapBackend()) })

describe('a store over a backend', () => {
  test('names the run whose record is damaged', async () => {
    const backend = mapBackend()
    const store = storeOver(backend)
    const run = aResult()
    await backend.replace({
      ...{ id: run.id, experimentName: run.experimentName, head: '{}', entry: null },
      trials: [],
    })
    await expect(store.load(run.id)).rejects.toMatchObject({ code: 'record-invalid' })
    await expect(store.load(run.id)).rejects.toThrow(run.id)
  })

  test('makes figures and entries of another version again', async () => {
    const backend = mapBackend()
    const store = storeOver({
      ...backend,
      replace: (run) =>
        backend.replace({
          ...run,
          entry: '{"id":"of an older version"}',
          trials: run.trials.map((trial) => ({ ...trial, figures: '{"version":0}' })),
        }),
    })
    const run = aResult()
    await store.save(run)
    expect((await store.overview(run.id))?.trials.map(({ itemId }) => itemId)).toEqual(
      run.items.map(({ itemId }) => itemId),
    )
    for await (const entry of store.list()) expect(entry.counts).toEqual(run.counts)
  })

  test('refuses to go on for a writer that was taken over', async () => {
    const backend = mapBackend()
    const store = storeOver({
      ...backend,
      async add(run) {
        const hold = await backend.add(run)
        return 'refused' in hold ? hold : { ...hold, write: async () => false }
      },
    })
    const { items, ...manifest } = aResult()
    const writer = await store.open(manifest)
    await expect(Promise.all(items.map(writer.append))).rejects.toThrow(`Run ${manifest.id} was taken over`)
  })
})
