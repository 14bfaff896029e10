import { type ExperimentOptions, newestUnfinished, sessionPlanOf } from '@jurist/experiment'
import type { RunEntry, RunSession } from '@jurist/experiment/store'
import { usageInvalid } from '../config/problems.js'
import type { Results } from './results-store.js'
import type { RunFlags } from './run-flags.js'
import { unknownAmong } from './unknown-name.js'

/** What `--resume` without a run may take. */
type Wanted = Pick<RunFlags, 'session' | 'retryErrors' | 'widen'>

/** The run that `--resume` goes on with; `undefined` when none is unfinished. With `--widen` any run can be: the newest. */
export async function unfinishedRun(
  { store }: Results,
  { name }: ExperimentOptions,
  variant: string | null,
  { retryErrors, widen }: Wanted,
): Promise<string | undefined> {
  const unfinished = await newestUnfinished(store, name, variant, retryErrors)
  if (unfinished !== undefined || !widen) return unfinished
  for await (const entry of store.list({ experimentName: name, kind: 'agent' }))
    if (entry.variant === variant) return entry.id
  return undefined
}

/**
 * The session that `--resume` goes on with: the named one, else the newest that is not finished; `undefined` when it, or
 * each of them, is.
 *
 * @throws `usage-invalid` for a name that no session has
 */
export async function unfinishedSession(
  { store, shown }: Results,
  { name }: ExperimentOptions,
  variants: readonly string[],
  wanted: Wanted,
): Promise<string | undefined> {
  const sessions = [...(await store.sessions.list(name))].reverse()
  const known = sessions.map(({ session }) => session)
  if (wanted.session !== undefined && !known.includes(wanted.session))
    throw usageInvalid(
      '--session',
      `No session "${wanted.session}" of ${name} in ${shown} to go on with.${unknownAmong(wanted.session, known)}`,
    )
  const entries = await entriesOf(store, name)
  const candidates = sessions.filter(({ session }) => wanted.session === undefined || session === wanted.session)
  const found = candidates.find((one, index) => isUnfinished(one, entries, variants, index === 0 && wanted.retryErrors))
  return (found ?? (wanted.widen ? candidates[0] : undefined))?.session
}

async function entriesOf(store: Results['store'], experimentName: string): Promise<ReadonlyMap<string, RunEntry>> {
  const entries = new Map<string, RunEntry>()
  for await (const entry of store.list({ experimentName, includeExcluded: true })) entries.set(entry.id, entry)
  return entries
}

/** Whether a variant of a session has not ended with all its trials. */
function isUnfinished(
  session: RunSession,
  entries: ReadonlyMap<string, RunEntry>,
  variants: readonly string[],
  retryErrors: boolean,
): boolean {
  const noted = session.variants.map(({ variant }) => variant)
  const planned = sessionPlanOf(session)?.variants ?? (session.status === 'running' ? variants : noted)
  return planned.some((variant) => {
    if (!variants.includes(variant)) return false
    const entry = session.variants.find((one) => one.variant === variant)
    if (entry === undefined || entry.status === 'failed') return true
    const run = entries.get(entry.runId)
    if (run === undefined) return entry.status !== 'completed'
    return run.status !== 'completed' || run.counts.notRun > 0 || (retryErrors && run.counts.undecided > 0)
  })
}
