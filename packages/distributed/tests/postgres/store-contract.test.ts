import { postgresStore } from '@jurist/distributed/postgres'
import { resultStoreContract } from '@jurist/experiment/testing'
import { beforeAll, describe, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../../tests/postgres/server.js'

let address = ''
beforeAll(async () => {
  if (noPostgres === undefined) address = await newDatabase()
})

const harness = { describe: describe.skipIf(noPostgres !== undefined), test }
resultStoreContract(harness, 'postgresStore (needs PostgreSQL)', { open: async () => postgresStore(address) })
