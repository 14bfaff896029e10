import type { JsonObject } from '@jurist/core'

/** Which variants are expected, and which run resolves each. */
export interface Sweep {
  readonly sweep: string
  readonly experimentName: string
  readonly createdAt: string
  readonly endedAt: string | null
  readonly closed: 'completed' | 'failed' | null
  readonly expected: readonly string[]
  /** By variant. */
  readonly resolved: Readonly<Record<string, Resolution>>
  /** Every session that was added, also those removed since. */
  readonly history: readonly { readonly session: string; readonly addedAt: string }[]
  readonly metadata: JsonObject
}

/** The run that stands for a variant in a sweep. */
export interface Resolution {
  readonly session: string
  readonly runId: string
  readonly resolvedAt: string
  readonly gitCommit: string | null
}

/** The sweeps of a store. Unknown sweeps and sessions: `run-unknown`; names that cannot be one: `name-invalid`. */
export interface SweepStore {
  /** @throws `name-duplicate`; `option-invalid` when `expected` is empty */
  create(sweep: {
    readonly sweep: string
    readonly experimentName: string
    readonly expected: readonly [string, ...string[]]
    readonly metadata?: JsonObject
  }): Promise<Sweep>
  /**
   * Resolves every expected variant of which the session holds a completed run that is not excluded; the latest
   * addition wins. `gitCommit` defaults to the commit recorded with each run.
   */
  addSession(experimentName: string, sweep: string, session: string, gitCommit?: string | null): Promise<Sweep>
  /** Clears what the session resolved; what an earlier session resolved comes back. The history is kept. */
  removeSession(experimentName: string, sweep: string, session: string): Promise<Sweep>
  finish(experimentName: string, sweep: string, status: 'completed' | 'failed'): Promise<Sweep>
  load(experimentName: string, sweep: string): Promise<Sweep | undefined>
  /** Oldest first. */
  list(experimentName: string): Promise<readonly Sweep[]>
}

/**
 * How far a sweep is: `failed` or `completed` once closed; else `completed` when nothing is missing, `partial` when
 * something is resolved, `running`. `missing` in expected order; `versionMismatch`: the runs come from several commits.
 *
 * @example
 * const { missing } = sweepStatus(sweep) // ['variant-c']
 */
export function sweepStatus(sweep: Sweep): {
  readonly status: 'running' | 'partial' | 'completed' | 'failed'
  readonly missing: readonly string[]
  readonly complete: boolean
  readonly versionMismatch: boolean
} {
  const missing = sweep.expected.filter((variant) => !Object.hasOwn(sweep.resolved, variant))
  const resolutions = Object.values(sweep.resolved)
  const commits = new Set(resolutions.flatMap(({ gitCommit }) => gitCommit ?? []))
  const complete = missing.length === 0
  const progress = complete ? 'completed' : resolutions.length > 0 ? 'partial' : 'running'
  return { status: sweep.closed ?? progress, missing, complete, versionMismatch: commits.size > 1 }
}
