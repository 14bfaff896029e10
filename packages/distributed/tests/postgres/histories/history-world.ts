import { setTimeout } from 'node:timers/promises'
import { postgresQueue, postgresStore } from '@jurist/distributed/postgres'
import type { ResultStore } from '@jurist/experiment/store'
import type { TrialQueue } from '@jurist/experiment/store-kit'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { makeOlder } from '../make-older.js'
import { faultyPool } from './faulty-pool.js'
import { nameOf } from './history-log.js'
import { aRun } from './planned-run.js'

/** A database in which histories happen. */
export interface World extends AsyncDisposable {
  /** One of several queues, whose connections break. */
  readonly queue: (index: number) => TrialQueue
  /** A queue whose connections do not break. */
  readonly clean: TrialQueue
  readonly store: ResultStore
  /** Makes a run and its leases an hour older. */
  readonly age: (run: string) => Promise<void>
  /** Makes one lease an hour older. */
  readonly silence: (lease: string) => Promise<void>
  /** Delivers jobs of a run that are held, or done, once more, and one that belongs to no trial. */
  readonly deliverTwice: (run: string) => Promise<void>
  /** Reads results as they are stored, until `isOver` and all are read. */
  readonly follow: (run: string, isOver: () => boolean) => Promise<readonly string[]>
  /** What a run that has ended leaves in the tables of the queue, and files that no trial names. */
  readonly leftovers: (run: string) => Promise<readonly string[]>
}

const hourMs = 3_600_000

/** Opens a world in an empty database. @param breaks whether a connection breaks now */
export async function openWorld(address: string, breaks: () => boolean): Promise<World> {
  const pool = new pg.Pool({ connectionString: address, max: 30 })
  pool.on('error', () => undefined)
  const clean = postgresQueue(pool)
  const store = postgresStore(pool)
  let isOpen = false
  const queues = Array.from({ length: 4 }, () => postgresQueue(faultyPool(pool, () => isOpen && breaks())))
  // What is opened with a connection that breaks fails immediately: the address may be wrong.
  for (const queue of [clean, ...queues]) await queue.plan(aRun(0), [])
  isOpen = true
  const boss = new PgBoss({
    connectionString: address,
    schema: 'jurist_jobs',
    supervise: false,
    schedule: false,
    max: 2,
  })
  boss.on('error', () => undefined)
  await boss.start()
  const rows = async (text: string, ...values: readonly unknown[]) => (await pool.query(text, [...values])).rows
  return {
    queue: (index) => queues[index % queues.length] ?? clean,
    clean,
    store,
    age: (run) => makeOlder(pool, { run }, hourMs),
    silence: (lease) => makeOlder(pool, { lease }, hourMs),
    deliverTwice: (run) => deliverTwice(boss, rows, run),
    follow: (run, isOver) => follow(clean, run, isOver),
    leftovers: (run) => leftovers(rows, run),
    async [Symbol.asyncDispose]() {
      for (const queue of [...queues, clean]) await queue[Symbol.asyncDispose]()
      await boss.stop({ graceful: false })
      await pool.end()
    },
  }
}

type Ask = (text: string, ...values: readonly unknown[]) => Promise<readonly Record<string, string>[]>

async function deliverTwice(boss: PgBoss, rows: Ask, run: string): Promise<void> {
  const [found] = await rows('select queue from jurist.queue_runs where run = $1', run)
  const queue = found?.['queue']
  if (queue === undefined) return
  const jobs = await rows(`select job from jurist.queue_trials where run = $1 and state <> 'ready'`, run)
  try {
    // Held ones are there still: these come back as jobs that nothing knows.
    await boss.insert(queue, [{ priority: 1_000 }, ...jobs.map(({ job = '' }) => ({ id: job, priority: 1_000 }))])
    await rows(`update jurist_jobs.job set state = 'retry' where name = $1 and state = 'active'`, queue)
  } catch {
    // The run has ended meanwhile.
  }
}

async function follow(queue: TrialQueue, run: string, isOver: () => boolean): Promise<readonly string[]> {
  const seen: string[] = []
  for (let after: string | null = null; ; ) {
    const wasOver = isOver()
    const { items, next } = await queue.stored(run, after, 3)
    seen.push(...items.map(nameOf))
    if (wasOver && items.length === 0) return seen
    after = next
    if (items.length === 0) await setTimeout(10)
  }
}

async function leftovers(rows: Ask, run: string): Promise<readonly string[]> {
  const found = await rows(
    `select 'a queued run' as what from jurist.queue_runs where run = $1
      union all select 'a queue' from jurist_jobs.queue where name like $1 || '.%'
      union all select 'a job' from jurist_jobs.job where name like $1 || '.%'
      union all select 'a file that no trial names' from jurist.file_parts parts where run = $1
        and not exists (select from jurist.files where files.run = $1 and files.reference = parts.reference)`,
    run,
  )
  return found.map(({ what }) => `${what} is left`)
}
