import { JuristError } from '@jurist/core'
import { endedRow, itemsFrom, manifestIn, statusOf, stopText, storedStops } from '@jurist/experiment/internal'
import {
  type PlannedRun,
  type QueuedRun,
  type RunSpending,
  type RunStop,
  storeOver,
  type TrialQueue,
} from '@jurist/experiment/store-kit'
import { giveUp, type LockedRun, lockedRun, type QueueParts, stopLocked } from './queue-run.js'

/** The functions of a queue that concern whole runs. */
export function queueProgress(
  parts: QueueParts,
  tend: () => Promise<void>,
): Pick<TrialQueue, 'runs' | 'stop' | 'progress' | 'stored'> {
  const { database } = parts
  const { schema, rows, transaction } = database
  return {
    runs: openRuns(parts),
    async stop(run, reason, message) {
      await transaction('read committed', async (ask) => {
        if ((await lockedRun(ask, schema, run)) !== undefined) await stopLocked(ask, schema, run, { reason, message })
      })
      await tend()
    },
    async progress(run) {
      await tend()
      const [found] = await rows<ProgressRow>(progressText(schema), [run])
      if (found === undefined) return undefined
      const { spent, workers, ready, leased, stored, lost } = found
      const { usd } = JSON.parse(spent) as RunSpending
      return { ready, leased, stored, lost, spentUsd: usd, stopped: stopIn(found), workers }
    },
    async stored(run, after, max = 100) {
      const found = await rows<{ readonly place: string; readonly record: string }>(
        `select place, record from ${schema}.trials where run = $1 and place > $2 order by place limit $3`,
        [run, after ?? 0, max],
      )
      return {
        items: itemsFrom(
          run,
          found.map(({ record }) => record),
        ),
        next: found.at(-1)?.place ?? after,
      }
    },
  }
}

interface StopColumns {
  readonly stop_reason: RunStop['reason'] | null
  readonly stop_message: string | null
}

function stopIn({ stop_reason: reason, stop_message: message }: StopColumns): RunStop | null {
  return reason === null ? null : { reason, message: message ?? '' }
}

interface ProgressRow extends StopColumns {
  readonly spent: string
  readonly ready: number
  readonly leased: number
  readonly stored: number
  readonly lost: number
  readonly workers: readonly string[]
}

function progressText(schema: string): string {
  const counts = ['ready', 'leased', 'stored'].map(
    (state) => `(count(*) filter (where state = '${state}'))::int as ${state}`,
  )
  return `select spent, stop_reason, stop_message, counts.* from ${schema}.queue_runs run,
    lateral (select ${counts.join(', ')}, coalesce(sum(jsonb_array_length(losses)), 0)::int as lost,
      coalesce(array_agg(distinct worker) filter (where state = 'leased'), '{}') as workers
      from ${schema}.queue_trials where run = $1) counts
    where run.run = $1`
}

/** The runs in the queue. What they were planned with is read once: it does not change. */
function openRuns({ database: { schema, rows } }: QueueParts): TrialQueue['runs'] {
  let known: ReadonlyMap<string, PlannedRun> = new Map()

  async function read(run: string): Promise<PlannedRun | undefined> {
    const [found] = await rows<{ readonly head: string; readonly plan: string; readonly spent: string }>(
      `select head, plan, spent from ${schema}.queue_runs join ${schema}.runs on id = run where run = $1`,
      [run],
    )
    if (found === undefined) return undefined
    const { head, plan, spent } = found
    return { ...JSON.parse(plan), spent: JSON.parse(spent), manifest: manifestIn(run, head) }
  }

  return async function runs() {
    const open = await rows<StopColumns & { readonly run: string; readonly queue: string }>(
      `select run, queue, stop_reason, stop_message from ${schema}.queue_runs order by planned_at, run`,
    )
    const plans = new Map<string, PlannedRun>()
    const found: QueuedRun[] = []
    for (const row of open) {
      const plan = known.get(row.queue) ?? (await read(row.run))
      if (plan === undefined) continue
      plans.set(row.queue, plan)
      found.push({ ...plan, stopped: stopIn(row) })
    }
    known = plans
    return found
  }
}

interface Needs {
  readonly run: string
  readonly queue: string
  readonly late: boolean
  /** Whether a lease was not renewed in time. */
  readonly silent: boolean
  /** Whether no trial of it is left. */
  readonly done: boolean
  readonly stopped: boolean
}

/**
 * Looks after the runs in the queue: stops those whose time is up, has lost trials delivered again, and ends those that have
 * no trial left. Everything happens once, whichever process notices first, and is completed by the next one when that process
 * dies.
 */
export function tending(parts: QueueParts): () => Promise<void> {
  const { database, jobs, heartbeatMs } = parts
  const { schema, rows, transaction } = database
  // When the server was away, workers that wait for it get the time of a heartbeat to come back.
  const mayReturn = `(pg_postmaster_start_time() > now() - make_interval(secs => ${heartbeatMs / 1_000})
    and held_until > pg_postmaster_start_time() - interval '10 minutes')`
  // One state at a time, for the index: most trials of a long run are stored.
  const trialsIn = (state: string) =>
    `select from ${schema}.queue_trials trial where trial.run = run.run and state = '${state}'`
  const text = `select run.run, queue, stop_reason is not null as stopped,
      stop_reason is null and planned_at + make_interval(secs => timeout_ms / 1000) <= now() as late,
      exists (${trialsIn('leased')} and held_until < now() and not ${mayReturn}) as silent,
      not exists (${trialsIn('leased')}) and (stop_reason is not null or not exists (${trialsIn('ready')})) as done
    from ${schema}.queue_runs run`

  async function tend({ run, queue, late, silent, done, stopped }: Needs): Promise<void> {
    if (late || (silent && stopped))
      await transaction('read committed', async (ask) => {
        const found = await lockedRun(ask, schema, run)
        if (found?.queue !== queue) return
        const message = `the experiment did not end within ${found.plan.limits.timeoutMs} ms`
        if (late) await stopLocked(ask, schema, run, { reason: 'experiment-timeout', message })
        else await giveUp(ask, schema, run, 'held_until < now()')
      })
    else if (silent) await jobs.redeliver(queue)
    else if (done) await endRun(parts, run, queue)
  }

  return async function tendRuns() {
    for (;;) {
      const needy = (await rows<Needs>(text)).filter(({ late, silent, done }) => late || silent || done)
      for (const needs of needy) await tend(needs).catch((thrown: unknown) => warnOf(needs.run, thrown))
      // The trials that were given up may have been the last of their run.
      if (!needy.some(({ late, silent, stopped }) => late || (silent && stopped))) return
    }
  }
}

/** Stops the runs that a stored trial of one of them decides: it, and those that it is compared with. Returns whether one is decided. */
export async function stopDecided({ database, backend }: QueueParts, run: string): Promise<boolean> {
  const { schema, transaction } = database
  const stops = await storedStops(storeOver(backend), run)
  for (const [one, stop] of stops)
    await transaction('read committed', async (ask) => {
      if ((await lockedRun(ask, schema, one)) !== undefined)
        await stopLocked(ask, schema, one, { reason: 'decided', message: stopText(stop) })
    })
  return stops.size > 0
}

/** A run that is damaged must not keep workers from the others. */
function warnOf(run: string, thrown: unknown): void {
  if (!JuristError.is(thrown, 'record-invalid')) throw thrown
  process.emitWarning(`Run ${run} cannot end. ${thrown.message}`, { type: 'JuristWarning', code: run })
}

/** Ends a run: in the store, then in the queue. */
async function endRun(parts: QueueParts, run: string, queue: string): Promise<void> {
  const { database, backend, jobs } = parts
  const { schema, rows, transaction } = database
  const [found] = await rows<{ stop_reason: LockedRun['stopReason']; duration_ms: number; ended_at: Date }>(
    `select stop_reason, earlier_ms + extract(epoch from now() - planned_at)::float8 * 1000 as duration_ms, now() as ended_at
      from ${schema}.queue_runs where run = $1 and queue = $2`,
    [run, queue],
  )
  if (found === undefined) return
  const { stop_reason: stopReason, duration_ms: durationMs, ended_at: endedAt } = found
  // A budget that ran out while the last trials ended does not undo what they decide.
  const isCut = stopReason !== null && stopReason !== 'cancelled'
  const decided = isCut ? (await storedStops(storeOver(backend), run)).get(run) : undefined
  const reason = decided === undefined ? stopReason : 'decided'
  const end = { status: statusOf(reason), stopReason: reason, durationMs, decided }
  const ended = await endedRow(backend, run, { ...end, endedAt: new Date(endedAt).toISOString() })
  if (ended === undefined) return
  // First, since a queue without its run would be forgotten. None of its jobs is needed.
  await jobs.remove(queue)
  await transaction('read committed', async (ask) => {
    const locked = await lockedRun(ask, schema, run)
    // Another process may have ended it, and it may have been planned again, or stopped for another reason.
    if (locked?.queue !== queue || locked.stopReason !== stopReason) return
    await ask(`delete from ${schema}.queue_runs where run = $1`, [run])
    await ask(`update ${schema}.runs set head = $2, entry = $3, queued = false where id = $1`, [
      run,
      ended.head,
      ended.entry,
    ])
  })
}
