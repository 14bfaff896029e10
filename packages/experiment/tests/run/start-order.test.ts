import { describe, expect, it } from 'vitest'
import { startOrder } from '../../src/run/queued-run.js'
import { memoryStore } from '../../src/store/index.js'
import { anItem, aResult } from '../../src/testing/index.js'

const settings = { name: 'sums', variant: null, itemTimeoutMs: 900_000 }

function planned(timeouts: Readonly<Record<string, number | null>>) {
  return Object.entries(timeouts).flatMap(([itemId, timeoutMs]) =>
    [1, 2].map((repetition) => ({ itemId, repetition, item: { timeoutMs } })),
  )
}

const unlimited = planned({ a: null, b: null, c: null, d: null })

async function orderOf(store: Parameters<typeof startOrder>[1]['store'], trials = unlimited, durations?: object) {
  const given = durations as Readonly<Record<string, number>> | undefined
  const { trials: order, why } = await startOrder(trials, { store, settings, durations: given })
  return { order: order.map(({ itemId, repetition }) => `${itemId}${repetition}`).join(' '), why }
}

let minute = 0
function run(durations: Readonly<Record<string, number>>, more: Parameters<typeof aResult>[0] = {}) {
  minute += 1
  const items = Object.entries(durations).map(([itemId, durationMs]) => anItem({ itemId, durationMs }))
  const startedAt = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  return aResult({ experimentName: 'sums', startedAt, items, ...more })
}

describe('the trials of a distributed run start', () => {
  it('in the order of the dataset where nothing is known of how long they take', async () => {
    const store = memoryStore()
    await store.save(run({ a: 10, d: 900 }, { experimentName: 'other' }))
    await store.save(run({ a: 10, d: 900 }, { kind: 'probe' }))
    await store.save(run({}))
    expect(await orderOf(store)).toEqual({ order: 'a1 a2 b1 b2 c1 c2 d1 d2', why: null })
  })

  it('with the longest, as the newest run of the experiment has measured them; the others take the median', async () => {
    const store = memoryStore()
    await store.save(run({ a: 1, b: 2, c: 3, d: 4 }))
    const newest = run({ a: 900, b: 20, c: 500, d: 800 })
    await store.save(newest)
    const why = `the longest first, as run ${newest.id} has measured them`
    expect(await orderOf(store)).toEqual({ order: 'a1 a2 d1 d2 c1 c2 b1 b2', why })
    const more = planned({ e: null, a: null, b: null, d: null })
    // Of e nothing is known: it comes between those that are known to be longer and shorter.
    expect((await orderOf(store, more)).order).toBe('a1 a2 d1 d2 e1 e2 b1 b2')
  })

  it('by several runs where the newest has not measured all of them, those of the same variant first', async () => {
    const store = memoryStore()
    const own = run({ a: 10, b: 20 })
    const other = run({ a: 900, c: 30, d: 5 }, { variant: 'large' })
    await store.save(own)
    await store.save(other)
    const cancelled = aResult({ experimentName: 'sums', items: [anItem({ itemId: 'a', agent: 'cancelled' })] })
    await store.save(cancelled)
    expect(await orderOf(store)).toEqual({
      order: 'c1 c2 b1 b2 a1 a2 d1 d2',
      why: `the longest first, as runs ${own.id} and ${other.id} have measured them`,
    })
  })

  it('by the timeouts of the items without such a run; an item without one has that of the experiment', async () => {
    const trials = planned({ a: 60_000, b: null, c: 1_800_000, d: 120_000 })
    expect(await orderOf(memoryStore(), trials)).toEqual({
      order: 'c1 c2 b1 b2 d1 d2 a1 a2',
      why: 'those with the longest timeouts first',
    })
  })

  it('by the durations that are given, whatever was measured', async () => {
    const store = memoryStore()
    await store.save(run({ a: 900, b: 20, c: 500, d: 800 }))
    expect(await orderOf(store, unlimited, { b: 9, c: 5 })).toEqual({
      // The median of 5 and 9 is 7.
      order: 'b1 b2 a1 a2 d1 d2 c1 c2',
      why: 'the longest first',
    })
  })

  it('although an earlier run cannot be read', async () => {
    const store = memoryStore()
    await store.save(run({ a: 1, d: 4 }))
    const broken = { ...store, overview: () => Promise.reject(new Error('the record is damaged')) }
    expect((await orderOf(broken)).why).toBeNull()
  })
})
