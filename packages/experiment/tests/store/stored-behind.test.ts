import { setImmediate } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { completed, runExperiment } from '../../src/index.js'
import { memoryStore, type ResultStore } from '../../src/store/index.js'
import { anExperiment } from '../run-support.js'

/** A store that keeps nothing before it is opened. */
function closedStore() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const inner = memoryStore()
  const store: ResultStore = {
    ...inner,
    async open(manifest) {
      const writer = await inner.open(manifest)
      return { ...writer, append: (item) => opened.then(() => writer.append(item)) }
    },
  }
  return { store, open }
}

describe('a store that lags behind', () => {
  test.each([
    [1, 1],
    [2, 10],
  ])('with a concurrency of %i lets %i trials start', async (concurrency, most) => {
    let started = 0
    const agent = async () => {
      started += 1
      return completed()
    }
    const { store, open } = closedStore()
    const ended: string[] = []
    const run = runExperiment(anExperiment(12, { agent, concurrency, store }), {
      onEvent: ({ type }) => void (type === 'item-end' && ended.push(type)),
    })
    await vi.waitFor(() => expect(started).toBe(most))
    for (let turn = 0; turn < 50; turn += 1) await setImmediate()
    expect([started, ended]).toEqual([most, []])
    open()
    const { items } = await run.result
    expect([items.length, ended.length]).toEqual([12, 12])
  })
})
