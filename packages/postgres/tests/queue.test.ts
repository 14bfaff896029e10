import type { TrialName } from '@jurist/experiment/internal/results'
import type { PlannedRun } from '@jurist/experiment/queue'
import { anItem, aResult } from '@jurist/experiment/testing'
import { postgresQueue, postgresStore } from '@jurist/postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../tests/postgres/server.js'

let address = ''
beforeAll(async () => {
  if (noPostgres === undefined) address = await newDatabase()
})

const limits = { usd: null, tokens: null, includeJudges: true, bailAfter: null, outageAfter: null, timeoutMs: null }
const spent = { trials: 0, usd: 0, tokens: 0, failures: 0, outages: 0, outage: null }

function aRun(items: readonly string[], more: Partial<PlannedRun> = {}): PlannedRun {
  const {
    items: _,
    status,
    stopReason,
    endedAt,
    durationMs,
    summary,
    ...manifest
  } = aResult() as never as Record<string, unknown>
  return {
    manifest: { ...manifest, planned: items.length, itemOrder: items } as never,
    limits,
    spent,
    labels: [],
    requireSameCommit: true,
    ...more,
  }
}

function trials(items: readonly string[]): readonly TrialName[] {
  return items.map((itemId) => ({ itemId, repetition: 1 }))
}

describe.skipIf(noPostgres !== undefined)('postgresQueue (needs PostgreSQL)', () => {
  test('a run is planned, its trials are leased and stored, and it ends', async () => {
    await using queue = postgresQueue(address)
    await using store = postgresStore(address)
    const run = aRun(['a', 'b', 'c'])
    const { id } = run.manifest
    await queue.plan(run, trials(['a', 'b', 'c']))
    await queue.plan(run, trials(['a', 'b', 'c']))
    expect((await queue.runs()).map(({ manifest }) => manifest.id)).toContain(id)
    const leased = await queue.lease({ worker: 'w', runs: [id], max: 2 })
    expect(leased).toMatchObject([{ itemId: 'a', losses: [] }, { itemId: 'b' }])
    expect(await queue.renew(leased.map(({ lease }) => lease))).toHaveLength(2)
    expect(await queue.progress(id)).toMatchObject({ ready: 1, leased: 2, stored: 0, lost: 0, workers: ['w'] })
    expect((await store.load(id))?.status).toBe('running')
    await expect(store.resume(id)).rejects.toMatchObject({ code: 'run-locked' })
    for (const { lease, itemId } of leased) expect(await queue.store(lease, anItem({ itemId }), null)).toBe('stored')
    const [last] = await queue.lease({ worker: 'w', runs: [id], max: 2 })
    expect(await queue.store(last?.lease ?? '', anItem({ itemId: 'c' }), null)).toBe('stored')
    expect(await queue.progress(id)).toBeUndefined()
    expect(await queue.stored(id, null)).toMatchObject({ items: [{ itemId: 'a' }, { itemId: 'b' }, { itemId: 'c' }] })
    expect(await store.load(id)).toMatchObject({ status: 'completed', stopReason: null, counts: { run: 3 } })
  })
})
