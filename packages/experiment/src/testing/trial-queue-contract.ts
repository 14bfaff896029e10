import type { TestHarness } from '@jurist/core/testing'
import type { ItemResult, StopReason } from '../result/records.js'
import { resultWithItems } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import type { RunLimits, WorkerReport } from '../store/trial-queue.js'
import { end, expectCode, expectSame, expectThat, trialsOf } from './contract.js'
import { aPlannedRun, aQueue, type QueueTest, type TrialQueueContractSetup } from './queue-test.js'
import { anItem } from './records.js'

/**
 * The contract of every queue of trials: a run is planned once, each trial is leased to one worker at a time and stored
 * once, a lost trial comes before new ones, storing after a lost lease changes nothing, limits count over all workers,
 * and a run ends in the store with its last trial.
 *
 * @example
 * import type { ResultStore } from '@jurist/experiment/store'
 * import type { TrialQueue } from '@jurist/experiment/store-kit'
 * import { trialQueueContract } from '@jurist/experiment/testing'
 * import { describe, test } from 'vitest'
 *
 * declare function myQueue(): TrialQueue
 * declare function myStore(): ResultStore
 * declare function makeOlder(run: string, ms: number): Promise<void>
 *
 * trialQueueContract({ describe, test }, 'my queue', {
 *   open: async () => ({ queue: myQueue(), store: myStore() }),
 *   age: makeOlder,
 * })
 */
export function trialQueueContract(harness: TestHarness, name: string, setup: TrialQueueContractSetup): void {
  harness.describe(`${name} keeps the trial queue contract`, () => {
    const test: QueueTest = (what, body) =>
      harness.test(what, async () => {
        const { queue, store } = await setup.open()
        await using _store = store
        await using _queue = queue
        await body(aQueue(queue, store, setup.age))
      })
    planningContract(test)
    continuingContract(test)
    leasingContract(test)
    lossContract(test)
    storingContract(test)
    endingContract(test)
    workersContract(test)
  })
}

function planningContract(test: QueueTest): void {
  test('a run that is planned is in the queue, and running in the store', async ({ queue, store }) => {
    const run = aPlannedRun(['a', 'b'], { labels: ['gpu'], limits: { usd: 3, timeoutMs: 1_000_000 } })
    const { id, experimentName } = run.manifest
    await queue.plan(run, run.trials)
    const found = (await queue.runs()).find(({ manifest }) => manifest.id === id)
    const { trials: _, ...planned } = run
    expectSame(found, { ...planned, stopped: null }, 'the run in the queue')
    expectSame((await store.load(id))?.status, 'running', 'status')
    for await (const entry of store.list({ experimentName })) expectSame(entry.status, 'running', 'listed')
    await expectCode(store.resume(id), 'run-locked')
    await expectCode(store.remove(id), 'run-locked')
  })
  test('the same run again changes nothing, also at the same time', async ({ queue }) => {
    const run = aPlannedRun(['a', 'b'])
    await Promise.all([queue.plan(run, run.trials), queue.plan(run, run.trials), queue.plan(run, run.trials)])
    await queue.plan(run, run.trials)
    const progress = await queue.progress(run.manifest.id)
    expectSame([progress?.ready, progress?.leased, progress?.stored], [2, 0, 0], 'progress')
  })
  test('another run of the same id is refused', async ({ queue }) => {
    const run = aPlannedRun(['a'])
    await queue.plan(run, run.trials)
    for (const other of [{ conditions: { model: 'large' } }, { experimentName: 'other' }, { variant: 'v' }])
      await expectCode(queue.plan({ ...run, manifest: { ...run.manifest, ...other } }, run.trials), 'run-mismatch')
    expectSame((await queue.progress(run.manifest.id))?.ready, 1, 'ready')
  })
  test('a run that a writer holds is refused', async ({ queue, store }) => {
    const run = aPlannedRun(['a'])
    const writer = await store.open(run.manifest)
    await expectCode(queue.plan(run, run.trials), 'run-locked')
    await writer.finish(end)
  })
}

function continuingContract(test: QueueTest): void {
  test('a stored run continues: what is decided stays, what is not is run again', async ({ queue, store, all }) => {
    const run = aPlannedRun(['a', 'b', 'c'])
    const { id } = run.manifest
    const writer = await store.open(run.manifest)
    await writer.append(anItem({ itemId: 'a', task: 'before' }))
    await writer.append(anItem({ itemId: 'b', passed: null, agent: 'cancelled', judged: 'not-judged' }))
    await writer.finish({ status: 'interrupted', stopReason: 'cancelled', durationMs: 5_000 })
    await queue.plan(run, run.trials)
    const { items, next } = await queue.stored(id, null)
    expectSame(trialsOf(items), ['a 1', 'b 1'], 'stored before')
    const leased = await all(id)
    expectSame(trialsOf(leased), ['b 1', 'c 1'], 'leased')
    for (const { lease, itemId } of leased) await queue.store(lease, anItem({ itemId, task: 'after' }), null)
    expectSame(trialsOf((await queue.stored(id, next)).items), ['b 1', 'c 1'], 'stored since')
    const result = await store.load(id)
    expectSame(
      [result?.status, result?.items.map(({ task }) => task)],
      ['completed', ['before', 'after', 'after']],
      'end',
    )
    expectThat((result?.durationMs ?? 0) >= 5_000, 'the time before does not count')
    await queue.plan(run, run.trials)
    expectSame(await queue.progress(id), undefined, 'nothing is left')
    expectSame(await store.load(id), result, 'the run as it was')
  })
}

function leasingContract(test: QueueTest): void {
  test('trials are leased in their order, each to one worker', async ({ queue }) => {
    const run = aPlannedRun(Array.from({ length: 20 }, (_, index) => `item-${index}`))
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    expectSame(await queue.lease({ worker: 'w', runs: [], max: 5 }), [], 'no run')
    expectSame(await queue.lease({ worker: 'w', runs: [id], max: 0 }), [], 'no trial')
    const first = await queue.lease({ worker: 'first', runs: [id], max: 3 })
    expectSame(trialsOf(first), ['item-0 1', 'item-1 1', 'item-2 1'], 'the first')
    const workers = Array.from({ length: 5 }, (_, index) => ({ worker: `w${index}`, runs: [id], max: 4 }))
    const leased = [...first, ...(await Promise.all(workers.map((want) => queue.lease(want)))).flat()]
    expectSame([new Set(trialsOf(leased)).size, leased.length], [20, 20], 'leased')
    expectThat(new Set(leased.map(({ lease }) => lease)).size === 20, 'two trials have one lease')
    expectThat(
      leased.every((trial) => trial.run === id && trial.losses.length === 0),
      'a lease has another run, or a loss',
    )
  })
  test('a trial that is given back is leased again, without a loss', async ({ queue, all }) => {
    const run = aPlannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [first] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.giveBack(first?.lease ?? '')
    await queue.giveBack(first?.lease ?? '')
    const again = await all(id)
    expectSame(
      [trialsOf(again), again.map(({ losses }) => losses)],
      [
        ['a 1', 'b 1'],
        [[], []],
      ],
      'leased again',
    )
    expectThat(again[0]?.lease !== first?.lease, 'the lease is the same one')
    expectSame(await queue.renew([first?.lease ?? '']), [], 'renewed')
    expectSame(await queue.store(first?.lease ?? '', anItem({ itemId: 'a' }), null), 'lost', 'stored')
    await queue.giveBack(again[0]?.lease ?? '', 3_600_000)
    expectSame(await queue.lease({ worker: 'w', runs: [id], max: 2 }), [], 'before its time')
    expectSame((await queue.progress(id))?.ready, 1, 'ready')
  })
  test('what is not a lease is not renewed, stored or given back', async ({ queue }) => {
    for (const lease of ['', 'x', '\u0000', "'; --"]) {
      expectSame(await queue.renew([lease]), [], 'renewed')
      expectSame(await queue.store(lease, anItem(), null), 'lost', 'stored')
      await queue.giveBack(lease)
    }
  })
}

function lossContract(test: QueueTest): void {
  test('a lost trial is leased again before new ones, and names its worker', async ({ queue, age, all }) => {
    const run = aPlannedRun(['a', 'b', 'c'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [lost] = await queue.lease({ worker: 'dead', runs: [id], max: 1 })
    await age(id)
    const leased = await all(id)
    expectSame(trialsOf(leased), ['a 1', 'b 1', 'c 1'], 'leased')
    expectSame(
      leased.map(({ losses }) => losses.map(({ worker }) => worker)),
      [['dead'], [], []],
      'losses',
    )
    expectThat((leased[0]?.losses[0]?.durationMs ?? -1) >= 0, 'a loss has no duration')
    expectSame(await queue.renew([lost?.lease ?? '']), [], 'renewed')
    expectSame((await queue.progress(id))?.lost, 1, 'lost')
  })
  test('who stores after the lease was lost changes nothing', async ({ queue, store, age, again }) => {
    const run = aPlannedRun(['a'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [late] = await queue.lease({ worker: 'late', runs: [id], max: 1 })
    await age(id)
    const [taken] = await again(id)
    expectSame(await queue.store(late?.lease ?? '', anItem({ itemId: 'a', passed: false }), null), 'lost', 'late')
    await queue.giveBack(late?.lease ?? '')
    expectSame(await queue.renew([late?.lease ?? '', taken?.lease ?? '']), [taken?.lease], 'renewed')
    expectSame((await store.load(id))?.items, [], 'items')
    expectSame(await queue.store(taken?.lease ?? '', anItem({ itemId: 'a', passed: true }), null), 'stored', 'in time')
    expectSame(await queue.store(late?.lease ?? '', anItem({ itemId: 'a', passed: false }), null), 'lost', 'later')
    expectSame(
      (await store.load(id))?.items.map(({ passed }) => passed),
      [true],
      'stored',
    )
  })
  test('a lease that is renewed is not lost', async ({ queue, age }) => {
    const run = aPlannedRun(['a'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [held] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await age(id)
    expectSame(await queue.renew([held?.lease ?? '']), [held?.lease], 'renewed')
    expectSame(await queue.lease({ worker: 'other', runs: [id], max: 1 }), [], 'leased')
    expectSame(await queue.store(held?.lease ?? '', anItem({ itemId: 'a' }), null), 'stored', 'stored')
  })
}

function storingContract(test: QueueTest): void {
  test('a result is stored once', async ({ queue, store }) => {
    const run = aPlannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [held] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    const item = anItem({ itemId: 'a', costUsd: 2 })
    const stored = await Promise.all([1, 2, 3].map(() => queue.store(held?.lease ?? '', item, null)))
    expectSame(stored, ['stored', 'stored', 'stored'], 'stored')
    expectSame((await queue.progress(id))?.spentUsd, 2, 'spent')
    expectSame((await queue.stored(id, null)).items, [item], 'items')
    const [last] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    const end = () => queue.store(last?.lease ?? '', anItem({ itemId: 'b' }), null)
    expectSame([await end(), await queue.progress(id), await end()], ['stored', undefined, 'stored'], 'the last one')
    const overview = await store.overview(id)
    expectSame(
      overview === undefined ? [] : (await resultWithItems(overview)).items.slice(0, 1),
      [item],
      'the overview',
    )
  })
}

function aReport(): WorkerReport {
  const id = `worker-${newRunId()}`
  const facts = { host: 'host', pid: 7, labels: ['gpu'], gitCommit: null, concurrency: 4, metadata: { node: 'v22' } }
  return { id, ...facts, refused: { 'a-run': 'another jury' } }
}

/** Tests of workers: their reports and shared limits. */
function workersContract(test: QueueTest): void {
  test('a worker is seen with what it holds, until it leaves', async ({ queue }) => {
    const report = aReport()
    const run = aPlannedRun(['a', 'b'])
    await queue.plan(run, run.trials)
    await queue.report(report)
    await queue.report({ ...report, concurrency: 8 })
    const [held] = await queue.lease({ worker: report.id, runs: [run.manifest.id], max: 1 })
    const seen = (await queue.workers()).find(({ id }) => id === report.id)
    const { silentMs = -1, trials = [], ...said } = seen ?? {}
    expectSame(said, { ...report, concurrency: 8 }, 'the report')
    expectThat(silentMs >= 0 && (trials[0]?.heldMs ?? -1) >= 0, 'a time is missing')
    expectSame([trialsOf(trials), trials[0]?.run], [['a 1'], run.manifest.id], 'what it holds')
    expectSame((await queue.progress(run.manifest.id))?.workers, [report.id], 'workers of the run')
    await queue.store(held?.lease ?? '', anItem({ itemId: 'a' }), null)
    expectSame((await queue.workers()).find(({ id }) => id === report.id)?.trials, [], 'what it holds later')
    await queue.leave(report.id)
    expectThat(!(await queue.workers()).some(({ id }) => id === report.id), 'the worker is still seen')
  })
  test('permits of a bucket are given once', async ({ queue }) => {
    const bucket = newRunId()
    const limit = { perMinute: 1 / 60, burst: 10 }
    const asked = await Promise.all(Array.from({ length: 20 }, () => queue.limiter(bucket, limit)(1)))
    expectSame(asked.filter((waitMs) => waitMs === 0).length, 10, 'permits that were taken')
    // One an hour.
    for (const waitMs of asked) expectThat(waitMs <= 3_600_000, `a wait of ${waitMs} ms`)
    expectThat(
      asked.every((waitMs) => waitMs === 0 || waitMs > 3_000_000),
      'a wait is too short',
    )
    expectSame(await queue.limiter(`${bucket}-2`, limit)(100), 0, 'more than ever fit')
    expectThat((await queue.limiter(`${bucket}-2`, limit)(1)) > 300_000_000, 'what was taken too much is not owed')
  })
  test('its functions need no this', async ({ queue }) => {
    const { runs, workers, progress } = { ...queue }
    expectThat(Array.isArray(await runs()) && Array.isArray(await workers()), 'no lists')
    expectSame(await progress(newRunId()), undefined, 'an unknown run')
  })
}

const outage = { name: 'Error', message: 'no network', origin: 'agent', infrastructure: true } as const
const away: Partial<ItemResult> = { passed: null, agent: 'error', judged: 'not-judged', failure: outage }

/** A limit, what each trial does, and how many trials are leased one after the other until the run stops. */
const limited: readonly (readonly [StopReason, Partial<RunLimits>, Partial<ItemResult>, number])[] = [
  ['budget', { usd: 3 }, { costUsd: 1 }, 3],
  ['budget', { tokens: 100 }, { usage: { inputTokens: 30, outputTokens: 20 } }, 2],
  ['bail', { bailAfter: 2 }, { passed: false, judged: 'fail' }, 2],
  ['infrastructure', { outageAfter: 3 }, away, 3],
]

/** How runs end. */
function endingContract(test: QueueTest): void {
  test('a run ends with its last trial', async ({ queue, store, all }) => {
    const run = aPlannedRun(['b', 'a'])
    const { id, experimentName } = run.manifest
    await queue.plan(run, run.trials)
    const leased = await all(id)
    for (const { lease, itemId } of [...leased].reverse()) await queue.store(lease, anItem({ itemId }), null)
    expectSame(await queue.progress(id), undefined, 'progress')
    expectThat(!(await queue.runs()).some(({ manifest }) => manifest.id === id), 'the run is still in the queue')
    const result = await store.load(id)
    expectSame([result?.status, result?.stopReason, result?.counts.run], ['completed', null, 2], 'the end')
    expectSame(
      result?.items.map(({ itemId }) => itemId),
      ['b', 'a'],
      'items',
    )
    expectThat(result?.endedAt !== null && (result?.durationMs ?? 0) > 0, 'the end has no time')
    for await (const { status, passRate } of store.list({ experimentName }))
      expectSame([status, passRate], ['completed', 1], 'listed')
    const { writer } = await store.resume(id)
    await writer.release()
  })
  test('a run without trials ends', async ({ queue, store }) => {
    const run = aPlannedRun([])
    await queue.plan(run, [])
    expectSame(await queue.progress(run.manifest.id), undefined, 'progress')
    expectSame((await store.load(run.manifest.id))?.status, 'completed', 'status')
  })
  limitsContract(test)
  stoppingContract(test)
}

function limitsContract(test: QueueTest): void {
  for (const [reason, limits, each, trials] of limited)
    test(`limits count over all workers: ${Object.keys(limits)}`, async ({ queue, store }) => {
      const run = aPlannedRun(['a', 'b', 'c', 'd', 'e', 'f'], { limits })
      const { id } = run.manifest
      await queue.plan(run, run.trials)
      let stored = 0
      for (;;) {
        const [trial] = await queue.lease({ worker: `w${stored}`, runs: [id], max: 1 })
        if (trial === undefined) break
        await queue.store(trial.lease, anItem({ ...each, itemId: trial.itemId }), null)
        stored += 1
      }
      expectSame(stored, trials, 'trials that ran')
      expectSame(await queue.progress(id), undefined, 'progress')
      const result = await store.load(id)
      expectSame([result?.status, result?.stopReason], ['stopped', reason], 'the end')
    })
  test('trials that run count with the mean of those that have ended', async ({ queue }) => {
    const run = aPlannedRun(['a', 'b', 'c', 'd', 'e', 'f'], { limits: { usd: 4 } })
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [first] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.store(first?.lease ?? '', anItem({ itemId: 'a', costUsd: 1 }), null)
    const [some, others] = await Promise.all(['x', 'y'].map((worker) => queue.lease({ worker, runs: [id], max: 6 })))
    expectSame((some?.length ?? 0) + (others?.length ?? 0), 3, 'leased')
  })
  test('what earlier trials have spent counts', async ({ queue }) => {
    const run = aPlannedRun(['a', 'b'], { limits: { usd: 4 } })
    const { id } = run.manifest
    await queue.plan({ ...run, spent: { ...run.spent, trials: 4, usd: 4 } }, run.trials)
    expectSame(await queue.lease({ worker: 'w', runs: [id], max: 2 }), [], 'leased')
  })
}

function stoppingContract(test: QueueTest): void {
  test('a run that is stopped leases no further trial, and ends with those that run', async ({ queue, store }) => {
    const run = aPlannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [running] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.stop(id, 'bail', 'enough')
    await queue.stop(id, 'budget', 'too late')
    expectSame(await queue.lease({ worker: 'w', runs: [id], max: 1 }), [], 'leased')
    expectSame((await queue.progress(id))?.stopped, { reason: 'bail', message: 'enough' }, 'stopped')
    expectSame(await queue.store(running?.lease ?? '', anItem({ itemId: 'a' }), null), 'stored', 'stored')
    const result = await store.load(id)
    expectSame([result?.status, result?.stopReason, result?.counts.notRun], ['stopped', 'bail', 1], 'the end')
  })
  test('a run that is cancelled gives its trials up', async ({ queue, store }) => {
    const run = aPlannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [running] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await queue.stop(id, 'bail', 'enough')
    await queue.stop(id, 'cancelled', 'ctrl-c')
    expectSame(await queue.renew([running?.lease ?? '']), [], 'renewed')
    expectSame(await queue.store(running?.lease ?? '', anItem({ itemId: 'a' }), null), 'lost', 'stored')
    expectSame(await queue.progress(id), undefined, 'progress')
    const result = await store.load(id)
    expectSame([result?.status, result?.stopReason, result?.counts.run], ['interrupted', 'cancelled', 0], 'the end')
    await queue.stop(id, 'cancelled', 'again')
  })
  test('a run whose time is up gives its trials up', async ({ queue, store, age }) => {
    const run = aPlannedRun(['a', 'b'], { limits: { timeoutMs: 600_000 } })
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    const [running] = await queue.lease({ worker: 'w', runs: [id], max: 1 })
    await age(id)
    expectSame(await queue.lease({ worker: 'w', runs: [id], max: 1 }), [], 'leased')
    expectSame(await queue.renew([running?.lease ?? '']), [], 'renewed')
    expectSame((await store.load(id))?.stopReason, 'experiment-timeout', 'the end')
  })
  test('a stopped run whose worker is lost ends', async ({ queue, store, age }) => {
    const run = aPlannedRun(['a', 'b'])
    const { id } = run.manifest
    await queue.plan(run, run.trials)
    await queue.lease({ worker: 'dead', runs: [id], max: 1 })
    await queue.stop(id, 'bail', 'enough')
    await age(id)
    expectSame(await queue.progress(id), undefined, 'progress')
    expectSame((await store.load(id))?.status, 'stopped', 'status')
  })
}
