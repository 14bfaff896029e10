import { setTimeout } from 'node:timers/promises'
import { postgresQueue, postgresStore } from '@jurist/distributed/postgres'
import { newRunId, resultWithItems, type TrialName } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { ResultStore } from '@jurist/experiment/store'
import type { LeasedTrial, RunLimits, TrialQueue, WorkerReport } from '@jurist/experiment/store-kit'
import { anItem } from '@jurist/experiment/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../../tests/postgres/server.js'
import { aRun } from './histories/planned-run.js'
import { makeOlder } from './make-older.js'

let address = ''
let pool: pg.Pool | undefined
beforeAll(async () => {
  if (noPostgres !== undefined) return
  address = await newDatabase()
  pool = new pg.Pool({ connectionString: address })
})
afterAll(() => pool?.end())

const end = { status: 'completed', stopReason: null, durationMs: 1_000 } as const
const hourMs = 3_600_000
/** A queue may look for lost trials once in a while. */
const lookMs = 100
const looks = 1_000

interface TestedQueue {
  readonly queue: TrialQueue
  readonly store: ResultStore
  /** Makes a run older by an hour, so that its leases are lost unless they are renewed. */
  readonly age: (run: string) => Promise<void>
  /** Leases all trials of a run that are ready. */
  readonly all: (run: string) => Promise<readonly LeasedTrial[]>
  /** Leases one trial of a run as soon as there is one. */
  readonly again: (run: string) => Promise<readonly LeasedTrial[]>
}

function queueTest(what: string, body: (tested: TestedQueue) => Promise<void>): void {
  test(what, async () => {
    await using store = postgresStore(address)
    await using queue = postgresQueue(address)
    await body({
      queue,
      store,
      age: async (run) => pool && (await makeOlder(pool, { run }, hourMs)),
      all: (run) => queue.lease({ worker: 'all', runs: [run], max: 100 }),
      async again(run) {
        for (let look = 0; look < looks; look += 1) {
          const leased = await queue.lease({ worker: 'again', runs: [run], max: 1 })
          if (leased.length > 0) return leased
          await setTimeout(lookMs)
        }
        throw new Error(`no trial of the run is leased within ${(looks * lookMs) / 1_000} s`)
      },
    })
  })
}

/** A run of some items, one repetition each. */
function plannedRun(
  itemOrder: readonly string[],
  { limits, labels = [] }: { readonly limits?: Partial<RunLimits>; readonly labels?: readonly string[] } = {},
) {
  const run = aRun(itemOrder.length, { labels })
  const manifest = {
    ...run.manifest,
    experimentName: `contract-${newRunId().slice(-6)}`,
    conditions: { model: 'small' },
    itemOrder,
  }
  const trials = itemOrder.map((itemId) => ({ itemId, repetition: 1 }))
  return { ...run, manifest, limits: { ...run.limits, ...limits }, trials }
}

function trialsOf(items: readonly TrialName[]): readonly string[] {
  return items.map(({ itemId, repetition }) => `${itemId} ${repetition}`)
}

function planningTests() {
  queueTest('a run that is planned is in the queue, and running in the store', async ({ queue, store }) => {
    const run = plannedRun(['a', 'b'], { labels: ['gpu'], limits: { usd: 3, timeoutMs: 1_000_000 } })
    const { id, experimentName } = run.manifest
    await queue.plan(run, run.trials)
    const found = (await queue.runs()).find(({ manifest }) => manifest.id === id)
    const { trials: _, ...planned } = run
    expect({ ...found, manifest: found?.manifest.id }, 'the run in the queue').toEqual({
      ...planned,
      manifest: id,
      stopped: null,
    })
    expect((await store.load(id))?.status, 'status').toEqual('running')
    for await (const entry of store.list({ experimentName })) expect(entry.status, 'listed').toEqual('running')
    await expect(store.resume(id)).rejects.toMatchObject({ code: 'run-locked' })
    await expect(store.remove(id)).rejects.toMatchObject({ code: 'run-locked' })
  })
  queueTest('the same run again changes nothing, also at the same time', async ({ queue }) => {
    const run = plannedRun(['a', 'b'])
    await Promise.all([queue.plan(run, run.trials), queue.plan(run, run.trials), queue.plan(run, run.trials)])
    await queue.plan(run, run.trials)
    const progress = await queue.progress(run.manifest.id)
    expect([progress?.ready, progress?.leased, progress?.stored], 'progress').toEqual([2, 0, 0])
  })
  queueTest('another run of the same id is refused', async ({ queue }) => {
    const run = plannedRun(['a'])
    await queue.plan(run, run.trials)
    for (const other of [{ conditions: { model: 'large' } }, { experimentName: 'other' }, { variant: 'v' }])
      await expect(queue.plan({ ...run, manifest: { ...run.manifest, ...other } }, run.trials)).rejects.toMatchObject({
        code: 'run-mismatch',
      })
    expect((await queue.progress(run.manifest.id))?.ready, 'ready').toEqual(1)
  })
  queueTest('a run that a writer holds is refused', async ({ queue, store }) => {
    const run = plannedRun(['a'])
    const writer = await store.open(run.manifest)
    await expect(queue.plan(run, run.trials)).rejects.toMatchObject({ code: 'run-locked' })
    await writer.finish(end)
  })
}

function continuingTests() {
  queueTest(
    'a stored run continues: what is decided stays, what is not is run again',
    async ({ queue, store, all }) => {
      const run = plannedRun(['a', 'b', 'c'])
      const { id } = run.manifest
      const writer = await store.open(run.manifest)
      await writer.append(anItem({ itemId: 'a', task: 'before' }))
      await writer.append(anItem({ itemId: 'b', passed: null, agent: 'cancelled', judged: 'not-judged' }))
      await writer.finish({ status: 'interrupted', stopReason: 'cancelled', durationMs: 5_000 })
      await queue.plan(run, run.trials)
      const { items, next } = await queue.stored(id, null)
      expect(trialsOf(items), 'stored before').toEqual(['a 1', 'b 1'])
      const leased = await all(id)
      expect(trialsOf(leased), 'leased').toEqual(['b 1', 'c 1'])
      for (const { lease, itemId } of leased) await queue.store(lease, anItem({ itemId, task: 'after' }), null)
      expect(trialsOf((await queue.stored(id, next)).items), 'stored since').toEqual(['b 1', 'c 1'])
      const result = await store.load(id)
      expect([result?.status, result?.items.map(({ task }) => task)], 'end').toEqual([
        'completed',
        ['before', 'after', 'after'],
      ])
      expect((result?.durationMs ?? 0) >= 5_000, 'the time before does not count').toBe(true)
      await queue.plan(run, run.trials)
      expect(await queue.progress(id), 'nothing is left').toEqual(undefined)
      expect(await store.load(id), 'the run as it was').toEqual(result)
    },
  )
}

function leasingTests() {
  queueTest('trials are leased in their order, each to one worker', async ({ queue }) => {
    const run = plannedRun(Array.from({ length: 20 }, (_, index) => `item-${index}`))
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    expect(await queue.lease({ worker: 'w', runs: [], max: 5 }), 'no run').toEqual([])
    expect(await queue.lease({ worker: 'w', runs: [id], max: 0 }), 'no trial').toEqual([])
    const first = await queue.lease({ worker: 'first', runs: [id], max: 3 })
    expect(trialsOf(first), 'the first').toEqual(['item-0 1', 'item-1 1', 'item-2 1'])
    const workers = Array.from({ length: 5 }, (_, index) => ({ worker: `w${index}`, runs: [id], max: 4 }))
    const leased = [...first, ...(await Promise.all(workers.map((want) => queue.lease(want)))).flat()]
    expect([new Set(trialsOf(leased)).size, leased.length], 'leased').toEqual([20, 20])
    expect(new Set(leased.map(({ lease }) => lease)).size === 20, 'two trials have one lease').toBe(true)
    expect(
      leased.every((trial) => trial.run === id && trial.losses.length === 0),
      'a lease has another run, or a loss',
    ).toBe(true)
  })
  queueTest('a trial that is given back is leased again, without a loss', async ({ queue, all }) => {
    const run = plannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [first] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.giveBack(first?.lease ?? '')
    await queue.giveBack(first?.lease ?? '')
    const again = await all(id)
    expect([trialsOf(again), again.map(({ losses }) => losses)], 'leased again').toEqual([
      ['a 1', 'b 1'],
      [[], []],
    ])
    expect(again[0]?.lease !== first?.lease, 'the lease is the same one').toBe(true)
    expect(await queue.renew([first?.lease ?? '']), 'renewed').toEqual([])
    expect(await queue.store(first?.lease ?? '', anItem({ itemId: 'a' }), null), 'stored').toEqual('lost')
    await queue.giveBack(again[0]?.lease ?? '', 3_600_000)
    expect(await queue.lease({ worker: 'w', runs: [id], max: 2 }), 'before its time').toEqual([])
    expect((await queue.progress(id))?.ready, 'ready').toEqual(1)
  })
  queueTest('what is not a lease is not renewed, stored or given back', async ({ queue }) => {
    for (const lease of ['', 'x', '\u0000', "'; --"]) {
      expect(await queue.renew([lease]), 'renewed').toEqual([])
      expect(await queue.store(lease, anItem(), null), 'stored').toEqual('lost')
      await queue.giveBack(lease)
    }
  })
}

function lossTests() {
  queueTest('a lost trial is leased again before new ones, and names its worker', async ({ queue, age, all }) => {
    const run = plannedRun(['a', 'b', 'c'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [lost] = await queue.lease({ worker: 'dead', runs: [id], max: 1 })
    await age(id)
    const leased = await all(id)
    expect(trialsOf(leased), 'leased').toEqual(['a 1', 'b 1', 'c 1'])
    expect(
      leased.map(({ losses }) => losses.map(({ worker }) => worker)),
      'losses',
    ).toEqual([['dead'], [], []])
    expect((leased[0]?.losses[0]?.durationMs ?? -1) >= 0, 'a loss has no duration').toBe(true)
    expect(await queue.renew([lost?.lease ?? '']), 'renewed').toEqual([])
    expect((await queue.progress(id))?.lost, 'lost').toEqual(1)
  })
  queueTest('who stores after the lease was lost changes nothing', async ({ queue, store, age, again }) => {
    const run = plannedRun(['a'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [late] = await queue.lease({ worker: 'late', runs: [id], max: 1 })
    await age(id)
    const [taken] = await again(id)
    expect(await queue.store(late?.lease ?? '', anItem({ itemId: 'a', passed: false }), null), 'late').toEqual('lost')
    await queue.giveBack(late?.lease ?? '')
    expect(await queue.renew([late?.lease ?? '', taken?.lease ?? '']), 'renewed').toEqual([taken?.lease])
    expect((await store.load(id))?.items, 'items').toEqual([])
    expect(await queue.store(taken?.lease ?? '', anItem({ itemId: 'a', passed: true }), null), 'in time').toEqual(
      'stored',
    )
    expect(await queue.store(late?.lease ?? '', anItem({ itemId: 'a', passed: false }), null), 'later').toEqual('lost')
    expect(
      (await store.load(id))?.items.map(({ passed }) => passed),
      'stored',
    ).toEqual([true])
  })
  queueTest('a lease that is renewed is not lost', async ({ queue, age }) => {
    const run = plannedRun(['a'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [held] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await age(id)
    expect(await queue.renew([held?.lease ?? '']), 'renewed').toEqual([held?.lease])
    expect(await queue.lease({ worker: 'other', runs: [id], max: 1 }), 'leased').toEqual([])
    expect(await queue.store(held?.lease ?? '', anItem({ itemId: 'a' }), null), 'stored').toEqual('stored')
  })
}

function storingTests() {
  queueTest('a result is stored once', async ({ queue, store }) => {
    const run = plannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [held] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    const item = anItem({ itemId: 'a', costUsd: 2 })
    const stored = await Promise.all([1, 2, 3].map(() => queue.store(held?.lease ?? '', item, null)))
    expect(stored, 'stored').toEqual(['stored', 'stored', 'stored'])
    expect((await queue.progress(id))?.spentUsd, 'spent').toEqual(2)
    expect((await queue.stored(id, null)).items, 'items').toEqual([item])
    const [last] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    const end = () => queue.store(last?.lease ?? '', anItem({ itemId: 'b' }), null)
    expect([await end(), await queue.progress(id), await end()], 'the last one').toEqual([
      'stored',
      undefined,
      'stored',
    ])
    const overview = await store.overview(id)
    expect(overview === undefined ? [] : (await resultWithItems(overview)).items.slice(0, 1), 'the overview').toEqual([
      item,
    ])
  })
}

function aReport(): WorkerReport {
  const id = `worker-${newRunId()}`
  const facts = { host: 'host', pid: 7, labels: ['gpu'], gitCommit: null, concurrency: 4, metadata: { node: 'v22' } }
  return { id, ...facts, refused: { 'a-run': 'another jury' } }
}

/** Tests of workers: their reports and shared limits. */
function workersTests() {
  queueTest('a worker is seen with what it holds, until it leaves', async ({ queue }) => {
    const report = aReport()
    const run = plannedRun(['a', 'b'])
    await queue.plan(run, run.trials)
    await queue.report(report)
    await queue.report({ ...report, concurrency: 8 })
    const [held] = await queue.lease({ worker: report.id, runs: [run.manifest.id], max: 1 })
    const seen = (await queue.workers()).find(({ id }) => id === report.id)
    const { silentMs = -1, trials = [], ...said } = seen ?? {}
    expect(said, 'the report').toEqual({ ...report, concurrency: 8 })
    expect(silentMs >= 0 && (trials[0]?.heldMs ?? -1) >= 0, 'a time is missing').toBe(true)
    expect([trialsOf(trials), trials[0]?.run], 'what it holds').toEqual([['a 1'], run.manifest.id])
    expect((await queue.progress(run.manifest.id))?.workers, 'workers of the run').toEqual([report.id])
    await queue.store(held?.lease ?? '', anItem({ itemId: 'a' }), null)
    expect((await queue.workers()).find(({ id }) => id === report.id)?.trials, 'what it holds later').toEqual([])
    await queue.leave(report.id)
    expect(!(await queue.workers()).some(({ id }) => id === report.id), 'the worker is still seen').toBe(true)
  })
  queueTest('permits of a bucket are given once', async ({ queue }) => {
    const bucket = newRunId()
    const limit = { perMinute: 1 / 60, burst: 10 }
    const asked = await Promise.all(Array.from({ length: 20 }, () => queue.limiter(bucket, limit)(1)))
    expect(asked.filter((waitMs) => waitMs === 0).length, 'permits that were taken').toEqual(10)
    // One an hour.
    for (const waitMs of asked) expect(waitMs <= 3_600_000, `a wait of ${waitMs} ms`).toBe(true)
    expect(
      asked.every((waitMs) => waitMs === 0 || waitMs > 3_000_000),
      'a wait is too short',
    ).toBe(true)
    expect(await queue.limiter(`${bucket}-2`, limit)(100), 'more than ever fit').toEqual(0)
    expect((await queue.limiter(`${bucket}-2`, limit)(1)) > 300_000_000, 'what was taken too much is not owed').toBe(
      true,
    )
  })
  queueTest('its functions need no this', async ({ queue }) => {
    const { runs, workers, progress } = { ...queue }
    expect(Array.isArray(await runs()) && Array.isArray(await workers()), 'no lists').toBe(true)
    expect(await progress(newRunId()), 'an unknown run').toEqual(undefined)
  })
}

const outage = { name: 'Error', message: 'no network', origin: 'agent', infrastructure: true } as const
const away: Partial<ItemResult> = { passed: null, agent: 'error', judged: 'not-judged', failure: outage }

/** A limit, what each trial does, and how many trials are leased one after the other until the run stops. */
const limited: readonly (readonly [string, Partial<RunLimits>, Partial<ItemResult>, number])[] = [
  ['budget', { usd: 3 }, { costUsd: 1 }, 3],
  ['budget', { tokens: 100 }, { usage: { inputTokens: 30, outputTokens: 20 } }, 2],
  ['bail', { bailAfter: 2 }, { passed: false, judged: 'fail' }, 2],
  ['infrastructure', { outageAfter: 3 }, away, 3],
]

/** How runs end. */
function endingTests() {
  queueTest('a run ends with its last trial', async ({ queue, store, all }) => {
    const run = plannedRun(['b', 'a'])
    const { id, experimentName } = run.manifest
    await queue.plan(run, run.trials)
    const leased = await all(id)
    for (const { lease, itemId } of [...leased].reverse()) await queue.store(lease, anItem({ itemId }), null)
    expect(await queue.progress(id), 'progress').toEqual(undefined)
    expect(!(await queue.runs()).some(({ manifest }) => manifest.id === id), 'the run is still in the queue').toBe(true)
    const result = await store.load(id)
    expect([result?.status, result?.stopReason, result?.counts.run], 'the end').toEqual(['completed', null, 2])
    expect(
      result?.items.map(({ itemId }) => itemId),
      'items',
    ).toEqual(['b', 'a'])
    expect(result?.endedAt !== null && (result?.durationMs ?? 0) > 0, 'the end has no time').toBe(true)
    for await (const { status, passRate } of store.list({ experimentName }))
      expect([status, passRate], 'listed').toEqual(['completed', 1])
    const { writer } = await store.resume(id)
    await writer.release()
  })
  queueTest('a run without trials ends', async ({ queue, store }) => {
    const run = plannedRun([])
    await queue.plan(run, [])
    expect(await queue.progress(run.manifest.id), 'progress').toEqual(undefined)
    expect((await store.load(run.manifest.id))?.status, 'status').toEqual('completed')
  })
  limitsTests()
  stoppingTests()
}

function limitsTests() {
  for (const [reason, limits, each, trials] of limited)
    queueTest(`limits count over all workers: ${Object.keys(limits)}`, async ({ queue, store }) => {
      const run = plannedRun(['a', 'b', 'c', 'd', 'e', 'f'], { limits })
      const { id } = run.manifest
      await queue.plan(run, run.trials)
      let stored = 0
      for (;;) {
        const [trial] = await queue.lease({ worker: `w${stored}`, runs: [id], max: 1 })
        if (trial === undefined) break
        await queue.store(trial.lease, anItem({ ...each, itemId: trial.itemId }), null)
        stored += 1
      }
      expect(stored, 'trials that ran').toEqual(trials)
      expect(await queue.progress(id), 'progress').toEqual(undefined)
      const result = await store.load(id)
      expect([result?.status, result?.stopReason], 'the end').toEqual(['stopped', reason])
    })
  queueTest('trials that run count with the mean of those that have ended', async ({ queue }) => {
    const run = plannedRun(['a', 'b', 'c', 'd', 'e', 'f'], { limits: { usd: 4 } })
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [first] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.store(first?.lease ?? '', anItem({ itemId: 'a', costUsd: 1 }), null)
    const [some, others] = await Promise.all(['x', 'y'].map((worker) => queue.lease({ worker, runs: [id], max: 6 })))
    expect((some?.length ?? 0) + (others?.length ?? 0), 'leased').toEqual(3)
  })
  queueTest('what earlier trials have spent counts', async ({ queue }) => {
    const run = plannedRun(['a', 'b'], { limits: { usd: 4 } })
    const { id } = run.manifest
    await queue.plan({ ...run, spent: { ...run.spent, trials: 4, usd: 4 } }, run.trials)
    expect(await queue.lease({ worker: 'w', runs: [id], max: 2 }), 'leased').toEqual([])
  })
}

function stoppingTests() {
  queueTest('a run that is stopped leases no further trial, and ends with those that run', async ({ queue, store }) => {
    const run = plannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [running] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.stop(id, 'bail', 'enough')
    await queue.stop(id, 'budget', 'too late')
    expect(await queue.lease({ worker: 'w', runs: [id], max: 1 }), 'leased').toEqual([])
    expect((await queue.progress(id))?.stopped, 'stopped').toEqual({ reason: 'bail', message: 'enough' })
    expect(await queue.store(running?.lease ?? '', anItem({ itemId: 'a' }), null), 'stored').toEqual('stored')
    const result = await store.load(id)
    expect([result?.status, result?.stopReason, result?.counts.notRun], 'the end').toEqual(['stopped', 'bail', 1])
  })
  queueTest('a run that is cancelled gives its trials up', async ({ queue, store }) => {
    const run = plannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [running] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.stop(id, 'bail', 'enough')
    await queue.stop(id, 'cancelled', 'ctrl-c')
    expect(await queue.renew([running?.lease ?? '']), 'renewed').toEqual([])
    expect(await queue.store(running?.lease ?? '', anItem({ itemId: 'a' }), null), 'stored').toEqual('lost')
    expect(await queue.progress(id), 'progress').toEqual(undefined)
    const result = await store.load(id)
    expect([result?.status, result?.stopReason, result?.counts.run], 'the end').toEqual(['interrupted', 'cancelled', 0])
    await queue.stop(id, 'cancelled', 'again')
  })
  queueTest('a run whose time is up gives its trials up', async ({ queue, store, age }) => {
    const run = plannedRun(['a', 'b'], { limits: { timeoutMs: 600_000 } })
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [running] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await age(id)
    expect(await queue.lease({ worker: 'w', runs: [id], max: 1 }), 'leased').toEqual([])
    expect(await queue.renew([running?.lease ?? '']), 'renewed').toEqual([])
    expect((await store.load(id))?.stopReason, 'the end').toEqual('experiment-timeout')
  })
  queueTest('a stopped run whose worker is lost ends', async ({ queue, store, age }) => {
    const run = plannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    await queue.lease({ worker: 'dead', runs: [id], max: 1 })
    await queue.stop(id, 'bail', 'enough')
    await age(id)
    expect(await queue.progress(id), 'progress').toEqual(undefined)
    expect((await store.load(id))?.status, 'status').toEqual('stopped')
  })
}

describe.skipIf(noPostgres !== undefined)('postgresQueue keeps the contract of a queue (needs PostgreSQL)', () => {
  planningTests()
  continuingTests()
  leasingTests()
  lossTests()
  storingTests()
  workersTests()
  endingTests()
})
