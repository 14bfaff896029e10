import { baselineVariant, type SetupChange, setupChanges } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { setupOf, variantsOf } from './run.js'
import type { RunReader } from './run-reader.js'

/** A run to compare with, or the reason why no run fits. */
export type Reference =
  | {
      readonly state: 'run'
      readonly id: string
      readonly startedAt: string
      readonly variant: string | null
      /** The pass rate of this run minus that of the reference. */
      readonly delta: number | null
      readonly changes: readonly SetupChange[]
      /** How many newer runs were skipped because of their conditions. */
      readonly skipped: number
    }
  /** `reason` is a clause, such as `it has other conditions: jury differs`; `null`: there is nothing to compare with. */
  | { readonly state: 'none'; readonly reason: string | null }

export interface AgainstDocument {
  /** The newest comparable run of the same experiment, variant and kind that started earlier. */
  readonly before: Reference
  /** The baseline that the run names. */
  readonly baseline: Reference
}

export async function againstDocument(run: RunResult, reader: RunReader): Promise<AgainstDocument> {
  const before = await referenceBefore(run, reader)
  return { before, baseline: await baselineOf(run, before, reader) }
}

/** How many runs are tried to find a comparable one. */
const mostLookedAt = 20

async function referenceBefore(run: RunResult, reader: RunReader): Promise<Reference> {
  if (run.lineage !== null) return judgedFrom(run, run.lineage.rejudgedFrom, reader)
  const earlier = earlierRuns(run, await reader.entries())
  const [newest] = earlier
  if (newest === undefined) return none(null)
  let differing: readonly string[] = []
  for (const [skipped, entry] of earlier.slice(0, mostLookedAt).entries()) {
    const changes = await changesSince(entry, run, reader)
    if (changes === undefined) continue
    const refusing = changes.filter(({ refuses }) => refuses).map(({ what }) => what)
    if (refusing.length === 0) return referenceTo(entry, run, { changes, skipped })
    if (skipped === 0) differing = refusing
  }
  return none(`no earlier run has the same conditions: ${differing.join(', ')} differs`)
}

async function judgedFrom(run: RunResult, id: string, reader: RunReader): Promise<Reference> {
  const entry = (await reader.entries()).find((one) => one.id === id)
  if (entry === undefined) return none(`${id} is not in this store`)
  return referenceTo(entry, run, { changes: (await changesSince(entry, run, reader)) ?? [], skipped: 0 })
}

/** Completed runs of the same experiment, variant and kind outside the session, newest first. */
function earlierRuns(run: RunResult, entries: readonly RunEntry[]): readonly RunEntry[] {
  return entries.filter(
    ({ id, experimentName, variant, kind, status, session, startedAt, excluded }) =>
      id !== run.id &&
      (session === null || session !== run.session) &&
      experimentName === run.experimentName &&
      variant === run.variant &&
      kind === run.kind &&
      status === 'completed' &&
      excluded === null &&
      startedAt < run.startedAt,
  )
}

async function baselineOf(run: RunResult, before: Reference, reader: RunReader): Promise<Reference> {
  const { baseline } = run
  if (baseline === null) return none(null)
  if (baseline === 'latest') return before
  const variant = baselineVariant(baseline)
  if (variant !== undefined && variant === run.variant) return none(null)
  const entries = await reader.entries()
  const entry =
    variant === undefined
      ? entries.find(({ id }) => id === baseline)
      : variantsOf(run, entries).findLast((one) => one.variant === variant)
  if (entry === undefined)
    return none(`${variant === undefined ? baseline : `the variant ${variant}`} is not in this store`)
  const changes = (await changesSince(entry, run, reader)) ?? []
  const refusing = changes.filter(({ refuses }) => refuses).map(({ what }) => what)
  if (refusing.length > 0) return none(`it has other conditions: ${refusing.join(', ')} differs`)
  return referenceTo(entry, run, { changes, skipped: 0 })
}

async function changesSince(entry: RunEntry, run: RunResult, reader: RunReader) {
  const setup = await reader.derived(entry.id, 'setup', setupOf)
  return setup && setupChanges(setup, setupOf(run))
}

function referenceTo(
  { id, startedAt, variant, passRate }: RunEntry,
  run: RunResult,
  more: { readonly changes: readonly SetupChange[]; readonly skipped: number },
): Reference {
  const delta = passRate === null || run.passRate === null ? null : run.passRate - passRate
  return { state: 'run', id, startedAt, variant, delta, ...more }
}

function none(reason: string | null): Reference {
  return { state: 'none', reason }
}
