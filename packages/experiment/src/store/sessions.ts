import type { JsonObject } from '@jurist/core'
import type { RunStatus } from '../result/records.js'

/** One variant of a session, and the run that measured it. */
export interface VariantEntry {
  readonly variant: string
  readonly runId: string
  readonly status: RunStatus
  readonly passRate: number | null
  readonly trials: number
  readonly costUsd: number | null
  readonly durationMs: number
}

/** One pass over the variants of an experiment. */
export interface RunSession {
  readonly session: string
  readonly experimentName: string
  readonly createdAt: string
  readonly endedAt: string | null
  readonly status: 'running' | 'completed' | 'failed'
  /** In the order in which variants were first put. */
  readonly variants: readonly VariantEntry[]
  readonly metadata: JsonObject
}

/** The sessions of a store. Unknown sessions: `run-unknown`; names that cannot be one: `name-invalid`. */
export interface SessionStore {
  /** @throws `name-duplicate` when the experiment has such a session */
  create(session: {
    readonly session: string
    readonly experimentName: string
    readonly metadata?: JsonObject
  }): Promise<RunSession>
  /** Adds the entry of a variant, or replaces it in its place. */
  put(experimentName: string, session: string, entry: VariantEntry): Promise<RunSession>
  finish(experimentName: string, session: string, status: 'completed' | 'failed'): Promise<RunSession>
  /** Replaces the metadata. A store that cannot do this has no such function. */
  describe?(experimentName: string, session: string, metadata: JsonObject): Promise<RunSession>
  load(experimentName: string, session: string): Promise<RunSession | undefined>
  /** Oldest first. */
  list(experimentName: string): Promise<readonly RunSession[]>
  mostRecent(experimentName: string): Promise<RunSession | undefined>
}
