import { anItem } from '@jurist/experiment/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../../tests/postgres/server.js'
import { runHistory } from './histories/history.js'
import { historyLog } from './histories/history-log.js'
import { openWorld } from './histories/history-world.js'
import { aRun } from './histories/planned-run.js'
import { startWorker } from './histories/worker-processes.js'

let address = ''
beforeAll(async () => {
  if (noPostgres === undefined) address = await newDatabase()
})

describe.skipIf(noPostgres !== undefined)('histories of a queue (needs PostgreSQL)', () => {
  test('no trial is lost, stored twice, or stored under a lease that was lost', async () => {
    await using world = await openWorld(address, () => Math.random() < 0.02)
    const histories = await Promise.all(Array.from({ length: 5 }, (_, seed) => runHistory(world, seed)))
    expect(histories.filter(({ violations }) => violations.length > 0)).toEqual([])
    expect(histories.reduce((sum, { taken }) => sum + taken, 0)).toBeGreaterThan(0)
  })
  test('a worker that is killed, and one that is stopped past its lease and continues, change nothing', async () => {
    await using world = await openWorld(address, () => false)
    const run = aRun(2)
    const { id } = run.manifest
    const log = historyLog()
    const leases: string[] = []
    const facts = { address, runs: [id], concurrency: 1, longestMs: 'signal', logOf: () => log } as const
    await world.clean.plan(run, run.trials)
    // Their clocks are wrong.
    const [killed, stopped] = [-1, 1].map((sign) =>
      startWorker(`clock${sign}`, { ...facts, clockMs: sign * 36_000_000, leased: ({ lease }) => leases.push(lease) }),
    )
    await expect.poll(() => leases.length).toBe(2)
    killed?.process.kill('SIGKILL')
    stopped?.process.kill('SIGSTOP')
    await world.age(id)
    const taken = await world.clean.lease({ worker: 'clean', runs: [id], max: 2 })
    expect(taken.flatMap(({ losses }) => losses.map(({ worker }) => worker)).sort()).toEqual(['clock-1', 'clock1'])
    log.leased(taken)
    for (const { lease, itemId } of taken) {
      expect(await world.clean.store(lease, anItem({ itemId, metadata: { lease } }), null)).toBe('stored')
    }
    stopped?.process.kill('SIGCONT')
    stopped?.process.kill('SIGUSR2')
    await expect.poll(() => log.late()).toBe(1)
    stopped?.process.kill('SIGKILL')
    const items = (await world.store.load(id))?.items ?? []
    expect(log.violations(['item-0 1', 'item-1 1'], items)).toEqual([])
  })
})
