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
  const entries = await reader.entries()
  const { lineage, baseline } = run
  const before =
    lineage === null
      ? await referenceBefore(run, entries, reader)
      : await referenceTo(lineage.rejudgedFrom, run, { entries, reader, mustFit: false })
  if (baseline === 'latest') return { before, baseline: before }
  const variant = baselineVariant(baseline)
  if (baseline === null || (variant !== undefined && variant === run.variant)) return { before, baseline: none(null) }
  const named = variant && variantsOf(run, entries).findLast((one) => one.variant === variant)?.id
  if (variant !== undefined && named === undefined)
    return { before, baseline: none(`the variant ${variant} is not in this store`) }
  return { before, baseline: await referenceTo(named ?? baseline, run, { entries, reader, mustFit: true }) }
}

/** How many runs are tried to find a comparable one. */
const mostLookedAt = 20

async function referenceBefore(run: RunResult, entries: readonly RunEntry[], reader: RunReader): Promise<Reference> {
  let differing = ''
  for (const [skipped, entry] of earlierRuns(run, entries).slice(0, mostLookedAt).entries()) {
    const changes = await changesSince(entry.id, run.id, reader)
    const refusing = refusingIn(changes)
    if (refusing === '') return reference(entry, run, { changes, skipped })
    if (skipped === 0) differing = refusing
  }
  return none(differing === '' ? null : `no earlier run has the same conditions: ${differing} differs`)
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

async function referenceTo(
  id: string,
  run: RunResult,
  {
    entries,
    reader,
    mustFit,
  }: { readonly entries: readonly RunEntry[]; readonly reader: RunReader; readonly mustFit: boolean },
): Promise<Reference> {
  const entry = entries.find((one) => one.id === id)
  if (entry === undefined) return none(`${id} is not in this store`)
  const changes = await changesSince(id, run.id, reader)
  const refusing = mustFit ? refusingIn(changes) : ''
  return refusing === ''
    ? reference(entry, run, { changes, skipped: 0 })
    : none(`it has other conditions: ${refusing} differs`)
}

/** The changes that prevent a comparison, by name; `''` if nothing does. */
function refusingIn(changes: readonly SetupChange[]): string {
  return changes.flatMap(({ what, refuses }) => (refuses ? [what] : [])).join(', ')
}

/** The changes of the setup between two runs. */
export async function changesSince(before: string, after: string, reader: RunReader): Promise<readonly SetupChange[]> {
  const [earlier, later] = [
    await reader.derived(before, 'setup', setupOf),
    await reader.derived(after, 'setup', setupOf),
  ]
  return earlier === undefined || later === undefined ? [] : setupChanges(earlier, later)
}

function reference(
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
