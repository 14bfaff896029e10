import { trialQueueContract } from '@jurist/experiment/testing'
import { postgresQueue, postgresStore } from '@jurist/postgres'
import { beforeAll, describe, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../tests/postgres/server.js'
import { makeOlder } from './make-older.js'

let address = ''
beforeAll(async () => {
  if (noPostgres === undefined) address = await newDatabase()
})

const harness = { describe: describe.skipIf(noPostgres !== undefined), test }
trialQueueContract(harness, 'postgresQueue (needs PostgreSQL)', {
  open: async () => ({ queue: postgresQueue(address), store: postgresStore(address) }),
  age: (run, ms) => makeOlder(address, run, ms),
})
