import { type OptionRule, option } from '@jurist/core/internal'
import type { ArtifactStore } from './artifact-store.js'
import type { Database } from './database.js'
import { databaseArtifacts } from './database-artifacts.js'
import { fileRows } from './file-rows.js'
import type { FilePlaces } from './trial-files.js'

/** How a `postgresStore` and a `postgresQueue` work. Both of one database take the same. */
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
  /**
   * Milliseconds, in whole seconds, after which a worker that is not heard of has lost its trials. The same for all
   * processes. At least 10,000. Default 20,000.
   */
  readonly heartbeatMs?: number
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

// PostgreSQL allows 63 characters, and pg-boss 50; its schema has a longer name.
const schemaRule = {
  wants: 'at most 45 lower-case letters, digits and "_", beginning with a letter',
  holds: (value: unknown) => typeof value === 'string' && /^[a-z][a-z0-9_]{0,44}$/.test(value),
}

const heartbeatRule = {
  wants: 'at least 10,000, in whole seconds',
  holds: (value: unknown) => option.integer(10_000).holds(value) && Number(value) % 1_000 === 0,
}

/** The rules of `PostgresStoreOptions`. */
export const storeRules: { readonly [name in keyof PostgresStoreOptions]-?: OptionRule } = {
  schema: schemaRule,
  leaseMs: option.positive,
  artifacts: { wants: 'an artifact store', holds: isArtifactStore },
  maxArtifactBytes: option.positive,
  heartbeatMs: heartbeatRule,
}
