import type { JsonObject } from '@jurist/core'
import { optionInvalid } from '@jurist/core/internal'
import type { Documents } from './documents.js'
import { checkSafeName, runUnknown } from './names.js'
import { nameTaken, type SessionStore, type VariantEntry } from './sessions.js'

/** Which variants are expected, and which run resolves each. */
export interface Sweep {
  readonly sweep: string
  readonly experimentName: string
  readonly createdAt: string
  readonly endedAt: string | null
  readonly closed: 'completed' | 'failed' | null
  readonly expected: readonly string[]
  /** Keyed by variant. */
  readonly resolved: Readonly<Record<string, Resolution>>
  /** Every session that was added, also those removed since. */
  readonly history: readonly { readonly session: string; readonly addedAt: string }[]
  readonly metadata: JsonObject
}

/** The run that represents a variant in a sweep. */
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
   * Resolves every expected variant with a completed run in the session that is not excluded; the latest
   * addition wins. `gitCommit` defaults to the commit recorded with each run.
   */
  addSession(experimentName: string, sweep: string, session: string, gitCommit?: string | null): Promise<Sweep>
  /**
   * Removes the effect of a session; items that it had resolved fall back to the result of an earlier session. The
   * history is kept.
   */
  removeSession(experimentName: string, sweep: string, session: string): Promise<Sweep>
  finish(experimentName: string, sweep: string, status: 'completed' | 'failed'): Promise<Sweep>
  load(experimentName: string, sweep: string): Promise<Sweep | undefined>
  /** Oldest first. */
  list(experimentName: string): Promise<readonly Sweep[]>
}

/**
 * The state of a sweep: `failed` or `completed` once closed; else `completed` when nothing is missing, `partial` when
 * something is resolved, `running`. `missing` in expected order; `versionMismatch`: the runs come from several commits.
 *
 * @example
 * import { fileStore, sweepStatus } from '@jurist/experiment/store'
 *
 * const sweep = await fileStore('results').sweeps.load('add-readme', 'models')
 * if (sweep !== undefined) console.log(sweepStatus(sweep).missing)
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

/** A stored sweep: every addition with the items that it resolved, so that removing one restores the one before. */
export interface SweepLog extends Omit<Sweep, 'resolved' | 'history'> {
  readonly additions: readonly Addition[]
}

interface Addition {
  readonly session: string
  readonly addedAt: string
  readonly removed: boolean
  /** Keyed by variant. */
  readonly runs: Readonly<Record<string, { readonly runId: string; readonly gitCommit: string | null }>>
}

/**
 * The facts about a run that a sweep needs: its commit, and whether it is excluded. `undefined`: the store does not
 * contain the run.
 */
export type RunFacts = (
  runId: string,
) => Promise<{ readonly gitCommit: string | null; readonly excluded: boolean } | undefined>

export function sweepStore(documents: Documents<SweepLog>, sessions: SessionStore, factsOf: RunFacts): SweepStore {
  async function change(
    experimentName: string,
    sweep: string,
    next: (current: SweepLog) => SweepLog | Promise<SweepLog>,
  ): Promise<Sweep> {
    const names = checkedNames(experimentName, sweep)
    return sweepOf(await documents.change(...names, (current) => next(current ?? runUnknown(sweep, 'sweep'))))
  }

  return {
    async create({ sweep, experimentName, expected, metadata = {} }) {
      const names = checkedNames(experimentName, sweep)
      checkExpected(expected)
      const createdAt = new Date().toISOString()
      const open = { createdAt, endedAt: null, closed: null, expected: [...expected], additions: [], metadata }
      const log = await documents.change(...names, (current) => {
        if (current !== undefined) nameTaken('sweep', sweep)
        return { sweep, experimentName, ...open }
      })
      return sweepOf(log)
    },
    async addSession(experimentName, sweep, session, gitCommit) {
      const found = await sessions.load(experimentName, session)
      const { variants } = found ?? runUnknown(session, 'session')
      return await change(experimentName, sweep, async (current) => {
        const runs = await resolvedRuns(variants, current.expected, factsOf, gitCommit)
        const addition = { session, addedAt: new Date().toISOString(), removed: false, runs }
        return { ...current, additions: [...current.additions, addition] }
      })
    },
    async removeSession(experimentName, sweep, session) {
      return await change(experimentName, sweep, (current) => ({
        ...current,
        additions: current.additions.map((added) => (added.session === session ? { ...added, removed: true } : added)),
      }))
    },
    async finish(experimentName, sweep, closed) {
      const endedAt = new Date().toISOString()
      return await change(experimentName, sweep, (current) => ({ ...current, closed, endedAt }))
    },
    async load(experimentName, sweep) {
      const log = await documents.read(...checkedNames(experimentName, sweep))
      return log && sweepOf(log)
    },
    async list(experimentName) {
      const logs = await documents.all(checkSafeName(experimentName, 'an experiment'))
      return [...logs].sort(byCreation).map(sweepOf)
    },
  }
}

/** The completed runs of a session that a sweep waits for, by variant. */
async function resolvedRuns(
  variants: readonly VariantEntry[],
  expected: readonly string[],
  factsOf: RunFacts,
  gitCommit: string | null | undefined,
): Promise<Addition['runs']> {
  const runs: Record<string, Addition['runs'][string]> = {}
  for (const { variant, runId, status } of variants) {
    if (status !== 'completed' || !expected.includes(variant)) continue
    const facts = await factsOf(runId)
    if (facts?.excluded !== true)
      runs[variant] = { runId, gitCommit: gitCommit === undefined ? (facts?.gitCommit ?? null) : gitCommit }
  }
  return runs
}

/** The sweep that the additions make, one after the other. */
function sweepOf({ additions, ...sweep }: SweepLog): Sweep {
  const resolved = new Map<string, Resolution>()
  for (const { session, addedAt, removed, runs } of additions) {
    if (removed) continue
    for (const [variant, { runId, gitCommit }] of Object.entries(runs))
      resolved.set(variant, { session, runId, resolvedAt: addedAt, gitCommit })
  }
  const { metadata, ...head } = sweep
  const history = additions.map(({ session, addedAt }) => ({ session, addedAt }))
  return { ...head, resolved: Object.fromEntries(resolved), history, metadata }
}

function checkedNames(experimentName: string, sweep: string): [string, string] {
  return [checkSafeName(experimentName, 'an experiment'), checkSafeName(sweep, 'a sweep')]
}

function checkExpected(expected: readonly string[]): void {
  if (expected.length === 0) optionInvalid('expected', 'A sweep: "expected" is empty. Name the variants it waits for.')
  for (const variant of expected) checkSafeName(variant, 'a variant')
}

function byCreation(a: SweepLog, b: SweepLog): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.sweep < b.sweep ? -1 : 1)
}
