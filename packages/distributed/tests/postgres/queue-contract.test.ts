import { postgresQueue, postgresStore } from '@jurist/distributed/postgres'
import { trialQueueContract } from '@jurist/experiment/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../../tests/postgres/server.js'
import { makeOlder } from './make-older.js'

let address = ''
let pool: pg.Pool | undefined
beforeAll(async () => {
  if (noPostgres !== undefined) return
  address = await newDatabase()
  pool = new pg.Pool({ connectionString: address })
})
afterAll(() => pool?.end())

const harness = { describe: describe.skipIf(noPostgres !== undefined), test }
trialQueueContract(harness, 'postgresQueue (needs PostgreSQL)', {
  open: async () => ({ queue: postgresQueue(address), store: postgresStore(address) }),
  age: async (run, ms) => pool && (await makeOlder(pool, { run }, ms)),
})
