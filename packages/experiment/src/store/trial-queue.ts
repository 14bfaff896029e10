import type { JsonObject } from '@jurist/core'
import type { SharedLimit } from '@jurist/core/llm'
import type { ItemResult, StopReason } from '../result/records.js'
import type { RunSpending, SpendingLimits } from '../result/spending.js'
import type { TrialName } from '../result/trial-figures.js'
import type { RunManifest } from './store.js'

/**
 * Trials that many processes share: one process plans a run, any number of workers lease its trials and store their results.
 * `postgresQueue` of `@jurist/distributed/postgres` is one. Only the clock of the queue
 * counts, never that of a worker. None of the functions needs `this`.
 */
export interface TrialQueue extends AsyncDisposable {
  /** The milliseconds within which a lease must be renewed. */
  readonly heartbeatMs: number
  /**
   * Adds a run and its trials, in the order in which they are to start: all or nothing. The same run again changes nothing. A
   * stored run that has ended or was interrupted continues with these trials, and keeps its other results.
   *
   * @throws `run-mismatch` for another run of the same id, `run-locked` while a writer holds the run, `store-failed`
   */
  plan(run: PlannedRun, trials: readonly TrialName[]): Promise<void>
  /** The runs that have not ended, oldest first. */
  runs(): Promise<readonly QueuedRun[]>
  /**
   * Leases trials that are ready: lost ones first, then in the order of their run. A run that has stopped gives none.
   *
   * @param want.runs the ids of the runs that the worker fits
   */
  lease(want: {
    readonly worker: string
    readonly runs: readonly string[]
    readonly max: number
  }): Promise<readonly LeasedTrial[]>
  /** Renews leases. Returns those that are still held; the others are lost, and their trials belong to other workers. */
  renew(leases: readonly string[]): Promise<readonly string[]>
  /**
   * Stores the result of a trial with the files that it left, in one step with the end of its lease; what it spent counts for
   * the run. When this was the last trial, the run ends.
   *
   * @param directory the directory that the paths in the result lead from; `null`: it has no files
   * @returns `lost` when the lease is no longer held: then nothing is stored
   */
  store(lease: string, item: ItemResult, directory: string | null): Promise<'stored' | 'lost'>
  /** Gives a trial back, to be leased again. This does not count as a loss. */
  giveBack(lease: string, notBeforeMs?: number): Promise<void>
  /**
   * Leases no further trial of a run. The first reason counts, except that `cancelled` replaces any. With `cancelled` and
   * `experiment-timeout` running trials are given up too. The run ends when no trial of it is leased.
   */
  stop(run: string, reason: StopReason, message: string): Promise<void>
  /** Returns the progress of a run; `undefined` for one that the queue does not know or that has ended. */
  progress(run: string): Promise<RunProgress | undefined>
  /** The results stored since a position, oldest first. @param max default 100 */
  stored(run: string, after: string | null, max?: number): Promise<StoredTrials>
  /** Reports that a worker is alive, and its current work. Repeated at least every `heartbeatMs`. */
  report(worker: WorkerReport): Promise<void>
  /** The workers that have reported within three heartbeats, and those that still hold a lease. */
  workers(): Promise<readonly SeenWorker[]>
  /** Removes a worker that ends. */
  leave(worker: string): Promise<void>
  /**
   * A limit that all processes share, for `rateLimit({ shared })` of models: a bucket of permits that fills over time.
   *
   * @param name of the bucket. All processes give it the same limit
   * @param limit.burst how many permits the bucket holds. Default: those of a second, at least one
   */
  limiter(name: string, limit: { readonly perMinute: number; readonly burst?: number }): SharedLimit
}

/** A run as it is planned. */
export interface PlannedRun {
  readonly manifest: RunManifest
  /** Limits on the spending and failures of the run, over all workers. */
  readonly limits: RunLimits
  /** The spending of earlier trials, if the run continues. */
  readonly spent: RunSpending
  /** Labels that a worker must have, such as `gpu`. */
  readonly labels: readonly string[]
  /** Whether only workers at the commit of the manifest may take part. */
  readonly requireSameCommit: boolean
}

/** The limits of a run that all its workers share; `null`: no limit. */
export interface RunLimits extends SpendingLimits {
  /** Milliseconds that the run may take, from when it was planned. */
  readonly timeoutMs: number | null
}

/** A run in the queue. */
export interface QueuedRun extends PlannedRun {
  readonly stopped: RunStop | null
}

/** Why no further trial of a run starts. */
export interface RunStop {
  readonly reason: StopReason
  readonly message: string
}

/** A trial that one worker holds until its lease is lost. */
export interface LeasedTrial extends TrialName {
  /** A token, another one each time that the trial is leased. */
  readonly lease: string
  readonly run: string
  /** Workers that were lost with this trial, oldest first. */
  readonly losses: readonly TrialLoss[]
}

/** A worker that was lost while it held a trial. */
export interface TrialLoss {
  readonly worker: string
  /** How long it held the trial, until its lease was lost. */
  readonly durationMs: number
}

/** The progress of a run. */
export interface RunProgress {
  readonly ready: number
  readonly leased: number
  readonly stored: number
  /** How often a worker was lost with a trial. */
  readonly lost: number
  readonly spentUsd: number
  readonly stopped: RunStop | null
  /** Workers that hold trials of the run. */
  readonly workers: readonly string[]
}

/** Results that were stored since a position. */
export interface StoredTrials {
  readonly items: readonly ItemResult[]
  /** The position after the last of them. */
  readonly next: string | null
}

/** The description that a worker gives of itself. */
export interface WorkerReport {
  /** Such as `host-4711`. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly labels: readonly string[]
  readonly gitCommit: string | null
  /** How many trials it runs at a time. */
  readonly concurrency: number
  /** Why it takes no trials of some runs, by the id of the run. */
  readonly refused: { readonly [run: string]: string }
  /** Anything else, such as its versions. */
  readonly metadata: JsonObject
}

/** A worker as the queue knows it. */
export interface SeenWorker extends WorkerReport {
  /** Milliseconds since its last heartbeat. */
  readonly silentMs: number
  readonly trials: readonly (TrialName & { readonly run: string; readonly heldMs: number })[]
}
