import { newRunId } from '../store/names.js'
import type { WorkerReport } from '../store/trial-queue.js'
import { expectSame, expectThat, trialsOf } from './contract.js'
import { aPlannedRun, type QueueTest } from './queue-test.js'
import { anItem } from './records.js'

function aReport(): WorkerReport {
  const id = `worker-${newRunId()}`
  const facts = { host: 'host', pid: 7, labels: ['gpu'], gitCommit: null, concurrency: 4, metadata: { node: 'v22' } }
  return { id, ...facts, refused: { 'a-run': 'another jury' } }
}

/** What a queue knows of workers, and what they share. */
export function workersContract(test: QueueTest): void {
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
