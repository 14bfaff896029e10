import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { blankedAddress, databaseFailure } from './database-failure.js'
import { driver } from './driver.js'

/** The result of a statement. */
export interface PostgresResult {
  readonly rows: readonly unknown[]
}

/** A connection of a pool. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>
  release(error?: boolean): void
}

/** The part of a `Pool` of `pg` that the store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  query(text: string, values?: unknown[]): Promise<PostgresResult>
  /** Absent from a pool whose connections are not listened to. */
  on?(event: 'connect', listener: (client: PostgresConnection) => void): unknown
}

/** A connection that reports when it has broken. */
export interface PostgresConnection {
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** A pool, and what can be said of it in public. */
export interface OpenedPool {
  readonly pool: () => Promise<PostgresPool>
  /** The address without the password. */
  readonly address: string
  /** Returns a string without the password. */
  readonly blank: (text: string) => string
  /** Closes a pool that was opened here. */
  readonly close: () => Promise<void>
}

/** Opens a pool when it is first used, or uses the given one. */
export function openedPool(given: string | PostgresPool, project?: string): OpenedPool {
  if (typeof given !== 'string') {
    outliveBreaks(given)
    return { pool: async () => given, address: 'the database', blank: (text) => text, close: async () => {} }
  }
  const { address, blank } = blankedAddress(given)
  let opened: Promise<PostgresPool & { end(): Promise<void> }> | undefined
  return {
    address,
    blank,
    pool() {
      opened ??= newPool(given, blank, project)
      return opened
    },
    async close() {
      const pool = await opened?.catch(() => undefined)
      opened = undefined
      await pool?.end()
    },
  }
}

async function newPool(connectionString: string, blank: (text: string) => string, project: string | undefined) {
  const { default: pg } = await driver('pg', project).catch(missingDriver)
  try {
    const pool = new pg.Pool({
      connectionString,
      application_name: 'jurist',
      connectionTimeoutMillis: 15_000,
      allowExitOnIdle: true,
    })
    // A connection that breaks while it is idle is replaced when one is needed.
    pool.on('error', () => undefined)
    outliveBreaks(pool)
    return pool
  } catch (thrown) {
    throw databaseFailure({ address: blank(connectionString), blank }, thrown)
  }
}

const outliving = new WeakSet<PostgresPool>()

/** A connection that breaks between two statements of a transaction emits an error, which ends a process without a listener. */
function outliveBreaks(pool: PostgresPool): void {
  if (outliving.has(pool)) return
  outliving.add(pool)
  pool.on?.('connect', (client) => client.on('error', () => undefined))
}

function missingDriver(thrown: unknown): never {
  throw new JuristError(
    'store-failed',
    `Results in PostgreSQL need the package pg: ${failureOf(thrown).message}. Install it: npm install pg`,
    { path: 'pg' },
  )
}
