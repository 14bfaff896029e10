import { checkOptions, option } from '@jurist/core/internal'
import type { ResultStore } from '@jurist/experiment/store'
import { storeOver } from '@jurist/experiment/store-kit'
import { postgresBackend } from './backend.js'
import { database } from './database.js'
import type { PostgresPool } from './pool.js'

/** How a `postgresStore` works. */
export interface PostgresStoreOptions {
  /** The schema of its tables: lower-case letters, digits and `_`. Default `jurist`. */
  readonly schema?: string
  /**
   * Milliseconds after which a writer that is not heard of is taken for dead, and its run can be resumed. A writer whose
   * process ended on the same machine need not be waited for. Default 60,000.
   */
  readonly leaseMs?: number
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
export function postgresStore(address: string | PostgresPool, options?: PostgresStoreOptions): ResultStore {
  const { schema = 'jurist', leaseMs = 60_000 } = checkOptions('postgresStore', options, {
    schema: schemaRule,
    leaseMs: option.positive,
  })
  return storeOver(postgresBackend(database(address, schema), leaseMs))
}

const schemaRule = {
  wants: 'at most 63 lower-case letters, digits and "_", beginning with a letter',
  holds: (value: unknown) => typeof value === 'string' && /^[a-z][a-z0-9_]{0,62}$/.test(value),
}
