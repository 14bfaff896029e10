import { checkOptions } from '@jurist/core/internal'
import type { TrialQueue } from '@jurist/experiment/store-kit'
import { postgresBackend } from './backend.js'
import { type Database, database } from './database.js'
import type { PostgresPool } from './pool.js'
import { queueJobs } from './queue-jobs.js'
import { queueLeases } from './queue-leases.js'
import { queuePlan } from './queue-plan.js'
import { queueProgress, tending } from './queue-progress.js'
import { queueResults } from './queue-results.js'
import { queueWorkers } from './queue-workers.js'
import { filePlaces, type PostgresStoreOptions, storeRules } from './store-options.js'

/**
 * A queue in the database of a `postgresStore`, into which its results go. [pg-boss](https://github.com/timgit/pg-boss)
 * delivers the trials, in its own schema beside that of the store; a result is stored in one transaction that asks
 * whether its lease is still held.
 *
 * @param address an address such as `postgres://user@host/name`, or a `Pool` of `pg`, which stays the caller's to end
 * @throws every function: `store-failed` when the database fails, or without the package `pg-boss`
 *
 * @example
 * import { postgresQueue } from '@jurist/distributed/postgres'
 *
 * await using queue = postgresQueue('postgres://jurist@localhost/results')
 * for (const { id, trials } of await queue.workers()) console.log(id, trials.length)
 */
export function postgresQueue(address: string | PostgresPool, options?: PostgresStoreOptions): TrialQueue {
  const {
    schema = 'jurist',
    leaseMs = 60_000,
    heartbeatMs = 20_000,
    project,
    ...files
  } = checkOptions('postgresQueue', options, storeRules)
  const opened = database(address, schema, project)
  const tables = { ...opened, transaction: inTurn(opened) }
  const backend = postgresBackend(tables, leaseMs)
  const jobs = queueJobs(tables, { schema: `${schema}_jobs`, heartbeatMs, project })
  const parts = { database: tables, backend, jobs, places: filePlaces(tables, files), heartbeatMs }
  const tend = tending(parts)
  return {
    heartbeatMs,
    ...queuePlan(parts),
    ...queueProgress(parts, tend),
    ...queueLeases(parts, tend),
    ...queueResults(parts, tend),
    ...queueWorkers(parts),
    async [Symbol.asyncDispose]() {
      await jobs.close()
      await tables.close()
    },
  }
}

/**
 * Transactions one after the other: those of a queue wait for each other anyway. A process that is stopped then waits for one
 * lock, which it holds up until the server ends its transaction, and not for many.
 */
function inTurn({ transaction }: Database): Database['transaction'] {
  let before: Promise<unknown> = Promise.resolve()
  return (isolation, body) => {
    const turn = before.then(() => transaction(isolation, body))
    before = turn.catch(() => undefined)
    return turn
  }
}
