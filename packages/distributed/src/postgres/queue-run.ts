import type { PlannedRun, RunSpending, RunStop, StoreBackend } from '@jurist/experiment/store-kit'
import type { Database, Rows } from './database.js'
import type { QueueJobs } from './queue-jobs.js'
import type { FilePlaces } from './trial-files.js'

export interface QueueParts {
  readonly database: Database
  readonly backend: StoreBackend
  readonly jobs: QueueJobs
  readonly places: FilePlaces
  readonly heartbeatMs: number
}

/** A run in the queue, as one transaction sees it. */
export interface LockedRun {
  /** The queue of its jobs. */
  readonly queue: string
  /** The plan of the run, without its manifest. */
  readonly plan: Omit<PlannedRun, 'manifest' | 'spent'>
  readonly spent: RunSpending
  readonly stopReason: RunStop['reason'] | null
}

/**
 * Locks a run until the transaction ends: of everything that changes its trials, one happens at a time. A statement that needs the
 * row in `runs` or jobs as well takes this lock first. `undefined` when the run is not in the queue.
 */
export async function lockedRun(ask: Rows, schema: string, run: string): Promise<LockedRun | undefined> {
  const [found] = await ask<{ queue: string; plan: string; spent: string; stop_reason: LockedRun['stopReason'] }>(
    `select queue, plan, spent, stop_reason from ${schema}.queue_runs where run = $1 for update`,
    [run],
  )
  if (found === undefined) return undefined
  const { queue, plan, spent, stop_reason: stopReason } = found
  return { queue, plan: JSON.parse(plan), spent: JSON.parse(spent), stopReason }
}

/** The run that a lease belongs to; `undefined` for what is not a lease. */
export function runOfLease(lease: string): string | undefined {
  return /^([\w-]+):[0-9a-f-]{36}\.\d+$/.exec(lease)?.[1]
}

/** Stops a run that is locked; trials that are running are given up for some reasons. */
export async function stopLocked(ask: Rows, schema: string, run: string, { reason, message }: RunStop): Promise<void> {
  await ask(
    `update ${schema}.queue_runs set stop_reason = $2, stop_message = $3
      where run = $1 and (stop_reason is null or $2::text = 'cancelled')`,
    [run, reason, message],
  )
  if (reason === 'cancelled' || reason === 'experiment-timeout') await giveUp(ask, schema, run, 'true')
}

/** Ends leases of a run that has stopped: its trials are not leased again. */
export async function giveUp(ask: Rows, schema: string, run: string, which: string): Promise<void> {
  await ask(
    `update ${schema}.queue_trials set state = 'ready', lease = null, worker = null
      where run = $1 and state = 'leased' and ${which}`,
    [run],
  )
}
