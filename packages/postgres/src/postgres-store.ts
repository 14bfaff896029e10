import { checkOptions, type OptionRule, option } from '@jurist/core/internal'
import type { ResultStore } from '@jurist/experiment/store'
import { type Documents, storeOver } from '@jurist/experiment/store-kit'
import type { ArtifactStore } from './artifact-store.js'
import { postgresBackend } from './backend.js'
import { type Database, database } from './database.js'
import { databaseArtifacts } from './database-artifacts.js'
import { fileRows } from './file-rows.js'
import { withKeptFiles } from './kept-files.js'
import type { PostgresPool } from './pool.js'
import { keepRunFiles } from './run-files.js'
import { currentVersion } from './schema.js'
import type { FilePlaces } from './trial-files.js'

/** How a `postgresStore` works. */
export interface PostgresStoreOptions {
  /** The schema of its tables: lower-case letters, digits and `_`. Default `jurist`. */
  readonly schema?: string
  /**
   * Milliseconds after which a writer that is not heard of is taken for dead, and its run can be resumed. A writer whose
   * process ended on the same machine need not be waited for. Default 60,000.
   */
  readonly leaseMs?: number
  /** Where kept workspaces and journals are. Default: in the database. */
  readonly artifacts?: ArtifactStore
  /**
   * The most bytes that one workspace or journal may have when it is packed. A larger one is not kept, and `artifactsDropped`
   * in the metadata of its trial says so. Default 16 MiB.
   */
  readonly maxArtifactBytes?: number
}

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
   * Keeps what a store of files has of a run beside its record: workspaces, journals, labels.
   *
   * @param directory the directory of the run
   * @returns what is not kept, and why
   */
  keepFiles(id: string, directory: string): Promise<readonly string[]>
  /** The sessions or sweeps, as they are stored. */
  documents(kind: 'sessions' | 'sweeps'): Documents<string>
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
 * import { postgresStore } from '@jurist/postgres'
 *
 * await using store = postgresStore('postgres://jurist@localhost/results')
 * for await (const { id, passRate } of store.list({ experimentName: 'add-readme', limit: 5 })) console.log(id, passRate)
 */
export function postgresStore(address: string | PostgresPool, options?: PostgresStoreOptions): PostgresStore {
  const { schema = 'jurist', leaseMs = 60_000, ...files } = checkOptions('postgresStore', options, storeRules)
  const tables = database(address, schema)
  const places = filePlaces(tables, files)
  const backend = postgresBackend(tables, leaseMs)
  return {
    ...withKeptFiles(storeOver(backend), backend, places),
    address: tables.address,
    documents: backend.documents,
    keepFiles: (id, directory) => keepRunFiles(places, id, directory),
    migrate: async () => ({ from: await tables.migrate(), to: currentVersion }),
  }
}

/** Where the files of runs are kept. */
export function filePlaces(
  tables: Database,
  { artifacts = databaseArtifacts(tables), maxArtifactBytes = 16 * 1024 * 1024 }: PostgresStoreOptions,
): FilePlaces {
  return { table: fileRows(tables), artifacts, maxBytes: maxArtifactBytes }
}

function isArtifactStore(value: unknown): boolean {
  const { put, get, remove } = (value ?? {}) as Partial<ArtifactStore>
  return [put, get, remove].every((one) => typeof one === 'function')
}

const schemaRule = {
  wants: 'at most 63 lower-case letters, digits and "_", beginning with a letter',
  holds: (value: unknown) => typeof value === 'string' && /^[a-z][a-z0-9_]{0,62}$/.test(value),
}

/** The rules of `PostgresStoreOptions`. */
export const storeRules: { readonly [name in keyof PostgresStoreOptions]-?: OptionRule } = {
  schema: schemaRule,
  leaseMs: option.positive,
  artifacts: { wants: 'an artifact store', holds: isArtifactStore },
  maxArtifactBytes: option.positive,
}
