import type { JsonObject, Usage } from '@jurist/core'
import type { ExperimentInvocation } from '../invocation.js'
import type { TrialJournal } from '../journal/trial-journal.js'
import type { Lease } from '../provision/provision.js'
import type { AgentOutcome, FailedAttempt, ItemFailure } from '../result/records.js'
import type { Bench } from './bench.js'
import type { Trial } from './trial.js'

/** An attempt that is tried again, with what it cost. */
export interface PriorAttempt extends FailedAttempt {
  readonly usage: Usage | undefined
}

/** One attempt at a trial, before anything was done. */
export interface Attempt {
  readonly bench: Bench
  readonly trial: Trial
  readonly journal: TrialJournal
  /** Counted from 1. */
  readonly number: number
  /** The attempts before it. */
  readonly failed: readonly PriorAttempt[]
  readonly startedAt: string
  /** By the monotonic clock. */
  readonly startedMs: number
}

/** What the setup of an attempt came to. Without a lease the agent is not called. */
export interface Setup {
  readonly lease: Lease | null
  /** Why the agent is not called. */
  readonly outcome: 'setup-error' | 'cancelled' | null
  readonly failure: ItemFailure | null
  /** What `beforeAgent` gave. */
  readonly metadata: JsonObject
  /** Whether the runner or a hook may have put something into the workspace. */
  readonly filled: boolean
  readonly setupMs: number
}

/** What the agent's part of an attempt came to. */
export interface Turn {
  readonly invocation: ExperimentInvocation | null
  readonly outcome: AgentOutcome
  readonly failure: ItemFailure | null
  /** Whether the agent may have changed something in the workspace. */
  readonly touched: boolean
  readonly agentMs: number
}

/** An attempt after the agent. */
export interface Attempted extends Attempt {
  readonly setup: Setup
  readonly turn: Turn
}
