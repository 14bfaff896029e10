import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ConnectionOptions, PgBoss } from 'pg-boss'
import type { Database, Rows } from './database.js'
import { driver } from './driver.js'

/** A job as it was delivered: a later delivery of it has another attempt. */
interface DeliveredJob {
  readonly id: string
  readonly attempt: number
}

/** The jobs of pg-boss, which delivers trials: a job that is not touched within a heartbeat is delivered again. */
export interface QueueJobs {
  create(queue: string): Promise<void>
  /**
   * Reads what pg-boss must know of a queue before the functions that take part in a transaction: it asks over a connection of
   * its own. `false` when the queue is gone.
   */
  prepare(queue: string): Promise<boolean>
  remove(queue: string): Promise<void>
  /** Adds jobs; those of higher priority are delivered first. */
  add(ask: Rows, queue: string, jobs: readonly NewJob[]): Promise<void>
  deliver(ask: Rows, queue: string, max: number): Promise<readonly DeliveredJob[]>
  /** Says that the holders of jobs are alive. Jobs that were delivered again since are left alone. */
  touch(ask: Rows, queue: string, jobs: readonly DeliveredJob[]): Promise<void>
  end(ask: Rows, queue: string, ids: readonly string[]): Promise<void>
  /** Makes jobs ready again whose holders have stopped responding. */
  redeliver(queue: string): Promise<void>
  close(): Promise<void>
}

interface NewJob {
  readonly id: string
  readonly priority: number
  /** Seconds until it may be delivered. */
  readonly startAfter: number
}

/** pg-boss ends a job after this time, however often it is touched. It is the longest time that pg-boss accepts. */
const longestTrialSeconds = 24 * 60 * 60
const longestRunSeconds = 365 * 24 * 60 * 60
const noJob = '00000000-0000-0000-0000-000000000000'

interface JobOptions {
  readonly schema: string
  readonly heartbeatMs: number
  readonly project: string | undefined
}

/** The jobs in a database, in a schema of their own. pg-boss is loaded when they are first used. */
export function queueJobs(database: Database, { schema, heartbeatMs, project }: JobOptions): QueueJobs {
  let opened: Promise<PgBoss> | undefined
  const known = new Set<string>()
  const boss = () => {
    opened ??= openedBoss(database, schema, project).catch((thrown: unknown) => {
      opened = undefined
      throw thrown
    })
    return opened
  }

  return {
    async create(queue) {
      const limits = { expireInSeconds: longestTrialSeconds, retentionSeconds: longestRunSeconds }
      const retries = { retryLimit: 1_000_000, retryDelay: 0, heartbeatSeconds: heartbeatMs / 1_000 }
      await (await boss()).createQueue(queue, { ...limits, ...retries })
    },
    async prepare(queue) {
      if (!known.has(queue) && (await isThere(await boss(), queue))) known.add(queue)
      return known.has(queue)
    },
    async remove(queue) {
      known.delete(queue)
      await (await boss()).deleteQueue(queue)
    },
    async add(ask, queue, jobs) {
      await (await boss()).insert(queue, [...jobs], over(ask))
    },
    async deliver(ask, queue, max) {
      const delivered = await (await boss()).fetch(queue, { batchSize: max, ...over(ask) })
      return delivered.map(({ id, retryCount }) => ({ id, attempt: retryCount }))
    },
    async touch(ask, queue, jobs) {
      const attempts = jobs.map(({ id, attempt }) => ({ id, retryCount: attempt }))
      await (await boss()).touch(queue, attempts, over(ask))
    },
    async end(ask, queue, ids) {
      if (ids.length > 0) await (await boss()).deleteJob(queue, [...ids], over(ask))
    },
    async redeliver(queue) {
      await (await boss()).supervise(queue)
    },
    async close() {
      const running = await opened?.catch(() => undefined)
      opened = undefined
      await running?.stop({ graceful: false, close: false })
    },
  }
}

/** Whether a queue exists. pg-boss then knows it. */
async function isThere(boss: PgBoss, queue: string): Promise<boolean> {
  try {
    await boss.findJobs(queue, { id: noJob })
    return true
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code === 'PGBOSS_QUEUE_NOT_FOUND') return false
    throw thrown
  }
}

/** pg-boss's functions take part in a transaction of ours. */
function over(ask: Rows): ConnectionOptions {
  return { db: { executeSql: async (text, values = []) => ({ rows: [...(await ask(text, values))] }) } }
}

async function openedBoss({ rows }: Database, schema: string, project: string | undefined): Promise<PgBoss> {
  const { PgBoss, systemClock } = await driver('pg-boss', project).catch(missingEngine)
  const boss = new PgBoss({
    db: { executeSql: async (text, values = []) => ({ rows: [...(await rows(text, values))] }) },
    schema,
    // Maintenance runs when it is needed: a process that only plans a run has nothing to maintain.
    ...{ supervise: false, schedule: false, monitorIntervalSeconds: 1 },
    ...{ registerInstance: false, monitorVacuum: false, reindex: false },
    clock: { ...systemClock, setInterval: (action, ms) => unrefd(setInterval(action, ms)) },
  })
  // Statements that fail are tried again; what remains is thrown where it happens.
  boss.on('error', () => undefined)
  await boss.start()
  return boss
}

/** Its timers keep no process alive. */
function unrefd(timer: NodeJS.Timeout): NodeJS.Timeout {
  timer.unref()
  return timer
}

function missingEngine(thrown: unknown): never {
  throw new JuristError(
    'store-failed',
    `A queue needs the package pg-boss: ${failureOf(thrown).message}. Install it: npm install pg-boss@12. It is made for Node.js 22.12 or newer, and this is ${process.version}.`,
    { path: 'pg-boss' },
  )
}
