import { checkOptions } from '@jurist/core/internal'
import type { ResultStore } from '@jurist/experiment/store'
import { type Documents, storeOver, type TrialQueue } from '@jurist/experiment/store-kit'
import { postgresBackend } from './backend.js'
import { database } from './database.js'
import { keepRunFiles, withKeptFiles } from './kept-files.js'
import type { PostgresPool } from './pool.js'
import { postgresQueue } from './postgres-queue.js'
import { currentVersion } from './schema.js'
import { filePlaces, type PostgresStoreOptions, storeRules } from './store-options.js'

/** A store in PostgreSQL. */
export interface PostgresStore extends ResultStore {
  /** The address without the password. */
  readonly address: string
  /**
   * Brings the tables of an older version up to date, in one transaction.
   *
   * @throws `store-failed`, also for tables of a newer version
   */
  migrate(): Promise<{ readonly from: number; readonly to: number }>
  /**
   * Stores the files of a run, except its record and its labels: workspaces and journals.
   *
   * @param directory the directory of the run
   * @returns the files that are not stored, and why
   */
  keepFiles(id: string, directory: string): Promise<readonly string[]>
  /** The sessions, the sweeps, or the labels of runs, as they are stored. */
  documents(kind: 'sessions' | 'sweeps' | 'labels'): Documents<string>
  /** The queue of the same database: `postgresQueue` with the options of the store. */
  queue(): TrialQueue
}

/**
 * A store in PostgreSQL 13 or newer. Its tables are made when it is first used; `jurist store migrate` brings those of an
 * older version up to date. Many processes may write different runs at the same time; one run has one writer. A connection
 * that breaks is opened again for up to a minute.
 *
 * @param database an address such as `postgres://user@host/name`, or a `Pool` of `pg`, which stays the caller's to end. The
 * password may also be in `PGPASSWORD` or in `~/.pgpass`; it is in no record and no message.
 * @throws every function: `store-failed` when the database fails, `record-invalid` for damaged records
 *
 * @example
 * import { postgresStore } from '@jurist/distributed/postgres'
 *
 * await using store = postgresStore('postgres://jurist@localhost/results')
 * for await (const { id, passRate } of store.list({ experimentName: 'add-readme', limit: 5 })) console.log(id, passRate)
 */
export function postgresStore(address: string | PostgresPool, options?: PostgresStoreOptions): PostgresStore {
  const checked = checkOptions('postgresStore', options, storeRules)
  const { schema = 'jurist', leaseMs = 60_000, project, ...files } = checked
  const tables = database(address, schema, project)
  const places = filePlaces(tables, files)
  const backend = postgresBackend(tables, leaseMs)
  return {
    ...withKeptFiles(storeOver(backend), backend, places),
    address: tables.address,
    documents: backend.documents,
    queue: () => postgresQueue(address, checked),
    keepFiles: (id, directory) => keepRunFiles(places, id, directory),
    migrate: async () => ({ from: await tables.migrate(), to: currentVersion }),
  }
}
