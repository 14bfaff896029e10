import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completed, planExperiment, runExperiment, runSession } from '../src/index.js'
import type { ShardOptions } from '../src/run/trials.js'
import { shardOf } from '../src/run/trials.js'
import { fileStore, memoryStore, type RunManifest } from '../src/store/index.js'
import { aborted, anExperiment, echo, eventsOf, ofType, someItems, temporaryDirectory } from './run-support.js'

/** A plan with items that say themselves how often they run. */
function planOf(repetitions: Readonly<Record<string, number>>): RunManifest {
  const itemOrder = Object.keys(repetitions)
  return { itemOrder, configuration: { repetitions: 1, itemRepetitions: repetitions }, dataset: {} } as never
}

function shardsOf(plan: RunManifest, count: number, durations?: ShardOptions['durations']) {
  const more = durations === undefined ? {} : { durations }
  return Array.from({ length: count }, (_, index) => shardOf(plan, { index: index + 1, count, ...more }))
}

const plans = fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 4 }), { maxKeys: 30 })
const durations = fc.option(
  fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.double({ min: 1, max: 1e6, noNaN: true })),
  { nil: undefined },
)

describe('the shards of a plan', () => {
  it('are disjoint and complete, whatever the dataset, their number and the durations', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 40 }), durations, (repetitions, count, known) => {
        const shards = shardsOf(planOf(repetitions), count, known)
        const keys = shards.flatMap((shard) => [...shard.keys])
        const planned = Object.values(repetitions).reduce((sum, one) => sum + one, 0)
        expect(keys.length).toBe(planned)
        expect(new Set(keys).size).toBe(planned)
        expect(shards.map(({ record }) => record.trials)).toEqual(shards.map((shard) => shard.keys.size))
      }),
    )
  })

  it('do not depend on the order of the dataset', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 9 }), durations, (repetitions, count, known) => {
        const reversed = Object.fromEntries(Object.entries(repetitions).reverse())
        const keysOf = (plan: RunManifest) => shardsOf(plan, count, known).map(({ keys }) => [...keys].sort())
        expect(keysOf(planOf(reversed))).toEqual(keysOf(planOf(repetitions)))
      }),
    )
  })

  it('have the same number of trials, give or take one', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 40 }), (repetitions, count) => {
        const sizes = shardsOf(planOf(repetitions), count).map(({ keys }) => keys.size)
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('take about the same time when durations are known; an unknown item takes the median', () => {
    const plan = planOf({ long: 1, a: 1, b: 1, c: 1, d: 1, unknown: 1 })
    const shards = shardsOf(plan, 2, { long: 50, a: 10, b: 10, c: 10, d: 10 })
    const items = shards.map(({ keys }) => [...keys].map((key) => key.replace(/^1 /, '')).sort())
    expect(items.toSorted((a, b) => a.length - b.length)).toEqual([['long'], ['a', 'b', 'c', 'd', 'unknown']])
    expect(shards[0]?.record).toMatchObject({ by: 'seconds', durations: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })
})

describe('a run of a shard', () => {
  it('plans the whole, and runs its part of it', async () => {
    const store = memoryStore()
    const options = anExperiment(7, { store, repetitions: 2 })
    const whole = await runExperiment(options).result
    const runs = await Promise.all(
      [1, 2, 3].map((index) => runExperiment(options, { shard: { index, count: 3 } }).result),
    )
    for (const [position, run] of runs.entries()) {
      expect(run).toMatchObject({
        planned: 14,
        conditions: whole.conditions,
        dataset: whole.dataset,
        status: 'completed',
      })
      expect(run.shard).toMatchObject({ index: position + 1, count: 3, by: 'order', durations: null })
      expect(run.counts).toMatchObject({ planned: run.shard?.trials, run: run.shard?.trials, notRun: 0 })
    }
    expect(runs.map(({ items }) => items.length)).toEqual([5, 5, 4])
    expect(new Set(runs.flatMap(({ items }) => items.map((item) => `${item.itemId}#${item.repetition}`))).size).toBe(14)
    for await (const entry of store.list({ limit: 1 })) expect(entry.shard?.index).toBeTypeOf('number')
  })

  it('completes without trials where there are more shards than trials', async () => {
    const runs = await Promise.all(
      [1, 2, 3].map((index) => runExperiment(anExperiment(2), { shard: { index, count: 3 } }).result),
    )
    expect(runs.map(({ items, status }) => [items.length, status])).toEqual([
      [1, 'completed'],
      [1, 'completed'],
      [0, 'completed'],
    ])
  })

  it('is planned and tried dry as a part, too', async () => {
    const shard = { index: 2, count: 3 }
    const plan = await planExperiment(anExperiment(7), { shard })
    expect(plan.trials).toBe(2)
    const run = runExperiment(anExperiment(7), { shard, dryRun: true })
    expect(ofType(await eventsOf(run), 'experiment-start')).toMatchObject([{ trials: 2 }])
    const { items } = await runExperiment(anExperiment(7), { shard }).result
    expect(plan.items.map(({ itemId }) => itemId)).toEqual(items.map(({ itemId }) => itemId))
  })

  it.each([
    ['in memory', () => memoryStore()],
    ['of files', () => fileStore(temporaryDirectory())],
  ])('is resumed in a store %s as the shard that it is', async (_, open) => {
    const store = open()
    const options = anExperiment(9, { store, concurrency: 1 })
    let calls = 0
    const agent: typeof echo = async function echo(task) {
      calls += 1
      if (calls < 2) return completed(task.prompt)
      run.cancel()
      await aborted(task.signal)
      return completed()
    }
    const run = runExperiment({ ...options, agent }, { shard: { index: 2, count: 3 } })
    expect((await run.result).status).toBe('interrupted')
    await runExperiment(options, { shard: { index: 1, count: 3 } }).result
    const other = runExperiment(options, { resume: 'latest', shard: { index: 3, count: 3 } })
    expect((await other.result).id).not.toBe(run.runId)
    const resumed = await runExperiment(options, { resume: 'latest' }).result
    expect(resumed).toMatchObject({ id: run.runId, status: 'completed', planned: 9, shard: { index: 2, trials: 3 } })
    expect(resumed.items.length).toBe(3)
    const again = await runExperiment(options, { shard: { index: 2, count: 3 } }).result
    expect(again.items.map(({ itemId }) => itemId)).toEqual(resumed.items.map(({ itemId }) => itemId))
  })

  it('is not resumed as another shard, as the whole, by other durations, or wider', async () => {
    const store = memoryStore()
    const options = anExperiment(9, { store })
    const { id } = await runExperiment(options, { shard: { index: 2, count: 3, durations: { 'item-1': 5 } } }).result
    const refusal = (more: object) => runExperiment(options, { resume: id, ...more }).result
    await expect(refusal({ shard: { index: 1, count: 3, durations: { 'item-1': 5 } } })).rejects.toThrow(
      / shard 2\/3 by the durations [0-9a-f]{8} then, shard 1\/3 by the durations [0-9a-f]{8} now/,
    )
    await expect(refusal({})).rejects.toThrow(/shard 2\/3 by the durations [0-9a-f]{8} then, the whole now/)
    await expect(refusal({ shard: { index: 2, count: 3, durations: { 'item-1': 6 } } })).rejects.toMatchObject({
      code: 'run-mismatch',
    })
    await expect(refusal({ widen: true })).rejects.toThrow(/shard 2\/3 .* cannot be widened/)
    const whole = await runExperiment(options).result
    await expect(runExperiment(options, { resume: whole.id, shard: { index: 1, count: 2 } }).result).rejects.toThrow(
      'the whole then, shard 1/2 now',
    )
  })

  it.each([
    [{ shard: { index: 0, count: 3 } }, /shard\.index: must be a whole number of at least 1/],
    [{ shard: { index: 4, count: 3 } }, /shard: must have an index from 1 to its count/],
    [{ shard: { index: 1.5, count: 3 } }, /shard\.index/],
    [{ shard: { index: 1 } }, /shard\.count/],
    [{ shard: { index: 1, count: 3, durations: { one: -1 } } }, /shard\.durations\.one: must be a finite number/],
    [{ shard: { index: 1, count: 3 }, resume: 'latest', widen: true }, /widen: cannot be used with "shard"/],
  ])('refuses %j', async (options, message) => {
    await expect(runExperiment(anExperiment(2), options as never).result).rejects.toThrow(message)
  })

  it('belongs to a session that has a name', async () => {
    const options = anExperiment(5, { variants: { a: {}, b: {} }, agent: echo })
    const shard = { index: 1, count: 2 }
    await expect(runSession(options, { shard }).result).rejects.toThrow('session: must be named with "shard"')
    const { results } = await runSession(options, { shard, session: 'build-7' }).result
    expect(Object.values(results).map((run) => [run?.session, run?.shard?.trials])).toEqual([
      ['build-7', 3],
      ['build-7', 3],
    ])
  })

  it('is no baseline of a later run', async () => {
    const { resolveBaseline } = await import('../src/compare/index.js')
    const store = memoryStore()
    const options = anExperiment(2, { store, dataset: someItems(2) })
    await runExperiment(options, { shard: { index: 1, count: 2 } }).result
    const later = await runExperiment(options).result
    expect(await resolveBaseline(store, { ...later, startedAt: '2999-01-01T00:00:00.000Z' })).toBeUndefined()
  })
})
