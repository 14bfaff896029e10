import { JuristError } from '@jurist/core'
import { commandLine } from '@jurist/kit/command-line'
import { pause, retryPauseMs } from '@jurist/kit/retry-pause'
import { databaseFailure, hasBroken, isPassing } from './database-failure.js'
import { type OpenedPool, openedPool, type PostgresClient, type PostgresPool, type PostgresResult } from './pool.js'
import { checkState, currentVersion, databaseState, migrateSchema } from './schema.js'

/** A database with the tables of a store. Its failures are `JuristError`s with the code `store-failed`. */
export interface Database {
  /** The address without the password. */
  readonly address: string
  /** The quoted name of the schema. */
  readonly schema: string
  /**
   * Runs a statement, or several without values: then the rows are those of all. When the connection breaks it is sent again
   * over another one for up to a minute, so it must have the same effect twice.
   */
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Runs several statements in a transaction, which begins again when the connection breaks. */
  transaction<Value>(
    isolation: 'read committed' | 'repeatable read',
    body: (client: Rows) => Promise<Value>,
  ): Promise<Value>
  /** Brings the schema to the current version. Returns the version before. */
  migrate(): Promise<number>
  close(): Promise<void>
}

/** Runs one statement of a transaction. */
export type Rows = <Row>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>

const patienceMs = 60_000
const pauses = { baseMs: 200, maxMs: 3_000 }
/** How often the database is prepared while its connections break; one that cannot be opened is reported after the first. */
const firstAttempts = 3

/** The database at an address or behind a pool. Nothing is opened before it is used. */
export function database(given: string | PostgresPool, schemaName: string, project?: string): Database {
  const opened = openedPool(given, project)
  const { address } = opened
  const schema = `"${schemaName}"`
  const migrated = () => withClient(opened, (client) => migrateSchema(client, schema, address))
  const patiently = patience(opened, async () => {
    const state = await databaseState(await opened.pool(), schema)
    checkState(state, address)
    if (state.version === 0) await migrated()
    else if (state.version < currentVersion) tooOld(address, state.version)
  })

  return {
    address,
    schema,
    rows: (text, values = []) => patiently(async () => rowsOf(await (await opened.pool()).query(text, [...values]))),
    transaction: (isolation, body) =>
      patiently(() => withClient(opened, (client) => inTransaction(client, isolation, body))),
    async migrate() {
      try {
        return await migrated()
      } catch (thrown) {
        throw databaseFailure(opened, thrown)
      }
    },
    close: opened.close,
  }
}

/** Several statements have several results. */
function rowsOf<Row>(result: PostgresResult | readonly PostgresResult[]): readonly Row[] {
  return [result].flat().flatMap(({ rows }) => rows as readonly Row[])
}

/** Runs an action on one connection, which is not used again when the action fails: it may have broken. */
async function withClient<Value>(
  { pool }: OpenedPool,
  action: (client: PostgresClient) => Promise<Value>,
): Promise<Value> {
  const client = await (await pool()).connect()
  try {
    const value = await action(client)
    client.release()
    return value
  } catch (thrown) {
    client.release(true)
    throw thrown
  }
}

/** Runs actions once the database is prepared. From then on, one whose connection breaks is tried again. */
function patience(opened: OpenedPool, prepare: () => Promise<void>) {
  let ready: Promise<void> | undefined
  let wasReady = false
  return async function patiently<Value>(action: () => Promise<Value>): Promise<Value> {
    const untilMs = performance.now() + patienceMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        ready ??= prepare()
        await ready
        wasReady = true
        return await action()
      } catch (thrown) {
        if (!wasReady) ready = undefined
        const isRetried = wasReady
          ? isPassing(thrown) && performance.now() <= untilMs
          : hasBroken(thrown) && attempt < firstAttempts
        if (!isRetried) throw databaseFailure(opened, thrown)
        await pause(retryPauseMs(attempt, pauses))
      }
    }
  }
}

/** A process that is stopped within a transaction has locks: the server ends it after this time, and it begins again. */
const silentMs = 2_000

async function inTransaction<Value>(
  client: PostgresClient,
  isolation: string,
  body: (rows: Rows) => Promise<Value>,
): Promise<Value> {
  await client.query(`begin isolation level ${isolation}; set local idle_in_transaction_session_timeout = ${silentMs}`)
  try {
    const value = await body(async (text, values = []) => rowsOf(await client.query(text, [...values])))
    await client.query('commit')
    return value
  } catch (thrown) {
    await client.query('rollback').catch(() => undefined)
    throw thrown
  }
}

function tooOld(address: string, version: number): never {
  throw new JuristError(
    'store-failed',
    `The database ${address} has schema version ${version}, and this version needs ${currentVersion}. When no older Jurist uses it: ${commandLine('store', 'migrate')}`,
    { path: address },
  )
}
