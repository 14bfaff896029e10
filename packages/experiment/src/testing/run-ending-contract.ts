import type { ItemResult, StopReason } from '../result/records.js'
import type { RunLimits } from '../store/trial-queue.js'
import { expectSame, expectThat } from './contract.js'
import { aPlannedRun, type QueueTest } from './queue-test.js'
import { anItem } from './records.js'

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
export function endingContract(test: QueueTest): void {
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
