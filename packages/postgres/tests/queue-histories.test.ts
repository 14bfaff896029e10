import { beforeAll, describe, expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../tests/postgres/server.js'
import { runHistory } from './histories/history.js'
import { openWorld } from './histories/history-world.js'

let address = ''
beforeAll(async () => {
  if (noPostgres === undefined) address = await newDatabase()
})

describe.skipIf(noPostgres !== undefined)('histories of a queue (needs PostgreSQL)', () => {
  test('no trial is lost, stored twice, or stored under a lease that was lost', async () => {
    await using world = await openWorld(address, () => Math.random() < 0.02)
    const histories = await Promise.all(Array.from({ length: 8 }, (_, seed) => runHistory(world, seed)))
    expect(histories.filter(({ violations }) => violations.length > 0)).toEqual([])
    expect(histories.reduce((sum, { taken }) => sum + taken, 0)).toBeGreaterThan(0)
  })
})
