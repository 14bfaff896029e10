import { randomUUID } from 'node:crypto'
import { JuristError } from '@jurist/core'
import { type OptionRule, option } from '@jurist/core/internal'
import type { ArtifactStore } from './artifact-store.js'
import type { Database } from './database.js'
import type { FilePlaces } from './trial-files.js'
import { fileRows } from './trial-files.js'

/** Options of a `postgresStore` and a `postgresQueue`. Use the same for both of one database. */
export interface PostgresStoreOptions {
  /** The schema of its tables: lower-case letters, digits and `_`. Default `jurist`. */
  readonly schema?: string
  /**
   * Milliseconds without a heartbeat after which a writer counts as dead, and its run can be resumed. A writer whose
   * process ended on the same machine need not be waited for. Default 60,000.
   */
  readonly leaseMs?: number
  /** The store of workspaces and journals. Default: the database. */
  readonly artifacts?: ArtifactStore
  /**
   * The limit of one packed workspace or journal, in bytes. A larger one is not stored, and is listed in
   * `artifactsDropped` in the metadata of its trial. Default 16 MiB.
   */
  readonly maxArtifactBytes?: number
  /**
   * Milliseconds, in whole seconds, without a heartbeat after which a worker has lost its trials. The same for all
   * processes. At least 10,000. Default 20,000.
   */
  readonly heartbeatMs?: number
  /** The directory of the project whose packages `pg` and `pg-boss` are used. Default: those that are installed for this package. */
  readonly project?: string
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

export const storeRules: { readonly [name in keyof PostgresStoreOptions]-?: OptionRule } = {
  schema: schemaRule,
  leaseMs: option.positive,
  artifacts: { wants: 'an artifact store', holds: isArtifactStore },
  maxArtifactBytes: option.positive,
  heartbeatMs: heartbeatRule,
  project: option.string,
}

const partBytes = 1024 * 1024

/** Artifacts in the database, in parts of one MiB. */
function databaseArtifacts({ schema, rows, address }: Database): ArtifactStore {
  return {
    async put({ run }, from) {
      const reference = `${run}/${randomUUID()}`
      let part = 0
      for await (const content of inParts(from)) {
        await rows(
          `insert into ${schema}.file_parts (run, reference, part, content) values ($1, $2, $3, $4) on conflict do nothing`,
          [run, reference, part, content],
        )
        part += 1
      }
      return reference
    },
    async get(reference) {
      const run = reference.slice(0, reference.indexOf('/'))
      const text = `select content from ${schema}.file_parts where run = $1 and reference = $2 and part = $3`
      const partAt = async (part: number) =>
        (await rows<{ readonly content: Uint8Array }>(text, [run, reference, part]))[0]?.content
      if ((await partAt(0)) === undefined)
        throw new JuristError('store-failed', `The database ${address} no longer has the file ${reference}.`, {
          path: reference,
        })
      return partsFrom(partAt)
    },
    async remove(run, refs) {
      await rows(`delete from ${schema}.file_parts where run = $1 and ($2::text[] is null or reference = any($2))`, [
        run,
        refs ?? null,
      ])
    },
  }
}

async function* partsFrom(partAt: (part: number) => Promise<Uint8Array | undefined>) {
  for (let part = 0; ; part += 1) {
    const content = await partAt(part)
    if (content === undefined) return
    yield content
  }
}

/** The same bytes in parts of one size; one part at least. */
async function* inParts(from: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  let made = 0
  for await (const some of from) {
    waiting.push(some)
    bytes += some.length
    if (bytes < partBytes) continue
    yield Buffer.concat(waiting)
    made += 1
    waiting = []
    bytes = 0
  }
  if (bytes > 0 || made === 0) yield Buffer.concat(waiting)
}
