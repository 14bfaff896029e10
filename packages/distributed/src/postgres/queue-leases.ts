import { randomUUID } from 'node:crypto'
import type { TrialName } from '@jurist/experiment/internal/results'
import { exhausted, type LeasedTrial, type TrialLoss, type TrialQueue } from '@jurist/experiment/store-kit'
import { groupBy } from '@jurist/kit/group-by'
import type { Rows } from './database.js'
import { type LockedRun, lockedRun, type QueueParts, runOfLease, stopLocked } from './queue-run.js'

/** The functions of a queue that concern leases. @param tend what follows the end of a lease */
export function queueLeases(
  parts: QueueParts,
  tend: () => Promise<void>,
): Pick<TrialQueue, 'lease' | 'renew' | 'giveBack'> {
  const { database, jobs } = parts
  const { schema, rows, transaction } = database
  return {
    async lease({ worker, runs, max }) {
      await tend()
      const leased: LeasedTrial[] = []
      for (let more = max > 0; more; ) {
        more = false
        for (const { run, queue, session } of await readyRuns(parts, runs)) {
          if (leased.length >= max) break
          if (!(await jobs.prepare(queue))) continue
          // When the answer to the first attempt was lost, the second finds what it has leased.
          const want = { run, worker, call: randomUUID(), max: session === null ? max - leased.length : 1 }
          const some = await transaction('read committed', (ask) => leaseFrom(ask, parts, want))
          leased.push(...some)
          more ||= session !== null && some.length > 0
        }
      }
      return leased
    },
    async renew(leases) {
      const asked = leases.filter((lease) => runOfLease(lease) !== undefined)
      const held = await heldBy(rows, schema, asked)
      for (const [run, some] of groupBy(held, (one) => one.run)) {
        const { queue } = some[0]
        if (!(await jobs.prepare(queue))) continue
        await transaction('read committed', async (ask) => {
          if ((await lockedRun(ask, schema, run))?.queue === queue) await jobs.touch(ask, queue, some)
        })
      }
      const kept = await rows<{ readonly lease: string }>(
        `update ${schema}.queue_trials set held_until = ${until(parts)} where lease = any($1) and state = 'leased' returning lease`,
        [asked],
      )
      return kept.map(({ lease }) => lease)
    },
    giveBack: givingBack(parts, tend),
  }
}

function givingBack({ database, jobs }: QueueParts, tend: () => Promise<void>): TrialQueue['giveBack'] {
  const { schema, rows, transaction } = database
  return async function giveBack(lease, notBeforeMs = 0) {
    const [held] = await heldBy(
      rows,
      schema,
      [lease].filter((one) => runOfLease(one) !== undefined),
    )
    if (held === undefined || !(await jobs.prepare(held.queue))) return
    const job = randomUUID()
    await transaction('read committed', async (ask) => {
      if ((await lockedRun(ask, schema, held.run))?.queue !== held.queue) return
      // Another job instead of a retry of the same one: that would count as a lost worker.
      const [given] = await ask<{ readonly priority: number }>(
        `update ${schema}.queue_trials set state = 'ready', lease = null, worker = null, job = $2
            where lease = $1 and state = 'leased' returning priority`,
        [lease, job],
      )
      if (given === undefined) return
      await jobs.end(ask, held.queue, [held.id])
      await jobs.add(ask, held.queue, [{ id: job, priority: given.priority, startAfter: notBeforeMs / 1_000 }])
    })
    await tend()
  }
}

function until({ heartbeatMs }: QueueParts): string {
  return `now() + make_interval(secs => ${heartbeatMs / 1_000})`
}

interface QueueOfRun {
  readonly run: string
  readonly queue: string
}

interface ReadyRun extends QueueOfRun {
  /** Its session, if its runs are compared item by item until that is decided. */
  readonly session: string | null
  /** How many of its trials have not started. */
  readonly left: number
}

/** Which of some runs may have a trial to lease, oldest first; of those that are compared item by item the one that is behind. */
async function readyRuns(
  { database: { schema, rows } }: QueueParts,
  runs: readonly string[],
): Promise<readonly ReadyRun[]> {
  const trials = `from ${schema}.queue_trials trial where trial.run = run.run`
  const found = await rows<ReadyRun>(
    `select run, queue, case when head::jsonb ? 'sequential' then head::jsonb ->> 'session' end as session,
      case when head::jsonb ? 'sequential' then (select count(*) ${trials} and state = 'ready')::int else 0 end as left
      from ${schema}.queue_runs run join ${schema}.runs on id = run where run = any($1) and stop_reason is null
      and (exists (select ${trials} and state = 'ready') or exists (select ${trials} and state = 'leased' and held_until < now()))
      order by planned_at, run`,
    [runs],
  )
  const first = (of: ReadyRun) =>
    found.findIndex(({ session, run }) => (of.session === null ? run === of.run : session === of.session))
  return found.toSorted((one, other) => first(one) - first(other) || other.left - one.left)
}

interface Wanted {
  readonly run: string
  readonly worker: string
  readonly call: string
  readonly max: number
}

interface LeasedRow {
  readonly lease: string
  readonly name: string
  readonly losses: readonly TrialLoss[]
}

async function leaseFrom(ask: Rows, parts: QueueParts, want: Wanted): Promise<readonly LeasedTrial[]> {
  const { database, jobs } = parts
  const { schema } = database
  const { run, worker, call, max } = want
  const locked = await lockedRun(ask, schema, run)
  if (locked === undefined || locked.stopReason !== null) return []
  const columns = 'lease, name, losses'
  const found = await ask<LeasedRow>(
    `select ${columns} from ${schema}.queue_trials where run = $1 and state = 'leased' and call = $2`,
    [run, call],
  )
  if (found.length > 0) return found.map((row) => leasedTrial(run, row))
  const starting = await startable(ask, schema, { run, locked, max })
  const delivered = starting === 0 ? [] : await jobs.deliver(ask, locked.queue, starting)
  const leased = await ask<LeasedRow & { readonly job: string }>(
    `with taken as (update ${schema}.queue_trials trial set state = 'leased', lease = run || ':' || given.job || '.' || given.attempt,
        attempt = given.attempt, call = $4, worker = $5, leased_at = now(), held_until = ${until(parts)},
        losses = case when state = 'ready' then losses else losses || jsonb_build_object('worker', worker,
          'durationMs', extract(epoch from least(now(), held_until) - leased_at)::float8 * 1000) end
      from unnest($2::uuid[], $3::integer[]) as given (job, attempt)
      where run = $1 and trial.job = given.job and state <> 'stored'
      returning trial.job, priority, ${columns}) select * from taken order by priority desc`,
    [run, delivered.map(({ id }) => id), delivered.map(({ attempt }) => attempt), call, worker],
  )
  // A job without a trial to run was delivered twice.
  const used = new Set(leased.map(({ job }) => job))
  const unused = delivered.flatMap(({ id }) => (used.has(id) ? [] : [id]))
  await jobs.end(ask, locked.queue, unused)
  return leased.map((row) => leasedTrial(run, row))
}

function leasedTrial(run: string, { lease, name, losses }: LeasedRow): LeasedTrial {
  return { ...(JSON.parse(name) as TrialName), lease, run, losses }
}

interface Starting {
  readonly run: string
  readonly locked: LockedRun
  readonly max: number
}

/** How many trials of a run may start now. When it has used up what it may spend, it is stopped. */
async function startable(ask: Rows, schema: string, { run, locked, max }: Starting): Promise<number> {
  const [counted] = await ask<{ readonly running: number }>(
    `select count(*)::int as running from ${schema}.queue_trials where run = $1 and state = 'leased'`,
    [run],
  )
  const running = counted?.running ?? 0
  for (let starting = 0; starting < max; starting += 1) {
    const why = exhausted(locked.plan.limits, locked.spent, running + starting)
    if (why === null) continue
    if (starting === 0) await stopLocked(ask, schema, run, why)
    return starting
  }
  return max
}

/** A lease that is held, with its job. */
interface Held extends QueueOfRun {
  readonly id: string
  readonly attempt: number
}

async function heldBy(ask: Rows, schema: string, leases: readonly string[]): Promise<readonly Held[]> {
  return await ask(
    `select run, queue, job as id, attempt from ${schema}.queue_trials join ${schema}.queue_runs using (run)
      where lease = any($1) and state = 'leased'`,
    [leases],
  )
}
