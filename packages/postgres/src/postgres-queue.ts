import { checkOptions, option } from '@jurist/core/internal'
import type { TrialQueue } from '@jurist/experiment/queue'
import { postgresBackend } from './backend.js'
import { database } from './database.js'
import type { PostgresPool } from './pool.js'
import { filePlaces, type PostgresStoreOptions, storeRules } from './postgres-store.js'
import { queueJobs } from './queue-jobs.js'
import { queueLeases } from './queue-leases.js'
import { queuePlan } from './queue-plan.js'
import { queueProgress, tending } from './queue-progress.js'
import { queueResults } from './queue-results.js'
import { queueWorkers } from './queue-workers.js'

/** How a `postgresQueue` works. Where results and files are is said as for the `postgresStore` of the same database. */
export interface PostgresQueueOptions extends PostgresStoreOptions {
  /**
   * Milliseconds, in whole seconds, after which a worker that is not heard of has lost its trials. The same for all
   * processes. At least 10,000. Default 20,000.
   */
  readonly heartbeatMs?: number
}

/**
 * A queue in the database of a `postgresStore`, into which its results go. [pg-boss](https://github.com/timgit/pg-boss)
 * delivers the trials, in a schema of its own beside that of the store; a result is stored in one transaction that asks
 * whether its lease is still held.
 *
 * @param address an address such as `postgres://user@host/name`, or a `Pool` of `pg`, which stays the caller's to end
 * @throws every function: `store-failed` when the database fails, or without the package `pg-boss`
 *
 * @example
 * import { postgresQueue } from '@jurist/postgres'
 *
 * await using queue = postgresQueue('postgres://jurist@localhost/results')
 * for (const { id, trials } of await queue.workers()) console.log(id, trials.length)
 */
export function postgresQueue(address: string | PostgresPool, options: PostgresQueueOptions = {}): TrialQueue {
  const {
    schema = 'jurist',
    leaseMs = 60_000,
    heartbeatMs = 20_000,
    ...files
  } = checkOptions('postgresQueue', options, {
    ...storeRules,
    heartbeatMs: heartbeatRule,
  })
  const tables = database(address, schema)
  const backend = postgresBackend(tables, leaseMs)
  const jobs = queueJobs(tables, `${schema}_jobs`, heartbeatMs)
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

const heartbeatRule = {
  wants: 'at least 10,000, in whole seconds',
  holds: (value: unknown) => option.integer(10_000).holds(value) && Number(value) % 1_000 === 0,
}
