import type { ExperimentOptions } from '@jurist/experiment'
import { newestUnfinished, sessionPlanOf } from '@jurist/experiment/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import type { RunEntry, RunSession } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { findRun, resultsHolding } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { unknownAmong } from '../../config/problems.js'
import type { RunFlags } from './run-flags.js'

/** The stored run to resume, and the results that contain it. */
export interface ResumedRun {
  readonly run: RunResult
  readonly results: Results
}

/**
 * Returns the run that `--resume <run>` names; `undefined` if the experiment selects it.
 *
 * @throws `usage-invalid` with similar runs
 */
export async function resumedRun(
  results: Results,
  { resume }: RunFlags,
  { cwd }: Host,
): Promise<ResumedRun | undefined> {
  if (typeof resume !== 'string') return undefined
  if (resume.endsWith('.tgz'))
    throw usageInvalid(
      '--resume',
      `${resume} is a bundle and cannot be resumed. Extract it first: ${commandLine('bundle', '--extract', resume)}`,
    )
  return { run: await findRun(results, resume, cwd), results: await resultsHolding(results, resume, cwd) }
}

/** Refuses flags that contradict the stored run. */
export function refuseOtherThan(
  run: RunResult,
  experiments: readonly ExperimentOptions[],
  { variant: variants, session, sweep, order }: RunFlags,
): void {
  const { id, experimentName } = run
  const other = experiments.find(({ name }) => name !== experimentName)
  if (other !== undefined) throw usageInvalid('--resume', `${id} is a run of ${experimentName}, not of ${other.name}.`)
  const wrong = variants.find((name) => name !== run.variant)
  if (wrong !== undefined)
    throw usageInvalid(
      '--variant',
      `${id} is a run of ${run.variant === null ? 'no variant' : `the variant ${run.variant}`}, not of ${wrong}. Remove --variant.`,
    )
  for (const [flag, value] of Object.entries({ '--session': session, '--sweep': sweep, '--order': order }))
    if (value !== undefined)
      throw usageInvalid(flag, `--resume ${id} resumes one run. Remove ${flag}, or use --resume without a run.`)
}

/** The flags that determine which run `--resume` without a run selects. */
type Wanted = Pick<RunFlags, 'session' | 'retryErrors' | 'widen' | 'shard'>

/** Returns the run that `--resume` selects; `undefined` if none is unfinished. With `--widen`, it is the newest run. */
export async function unfinishedRun(
  { store }: Results,
  { name }: ExperimentOptions,
  variant: string | null,
  { retryErrors, widen, shard }: Wanted,
): Promise<string | undefined> {
  const unfinished = await newestUnfinished(store, { name, variant }, { retryErrors, shard })
  if (unfinished !== undefined || !widen) return unfinished
  for await (const entry of store.list({ experimentName: name, kind: 'agent' }))
    if (entry.variant === variant) return entry.id
  return undefined
}

/**
 * Returns the session that `--resume` selects: the named one, otherwise the newest unfinished one, if any.
 *
 * @throws `usage-invalid` for an unknown session
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
      `No session "${wanted.session}" of ${name} in ${shown} to resume.${unknownAmong(wanted.session, known)}`,
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

/** Whether a variant of a session still has trials to run. */
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

/** Records a run that was resumed alone in its session. Finishes the session if all its variants have ended. */
export async function noteInSession(
  { store: { sessions } }: Results,
  { name, variants }: ExperimentOptions,
  result: RunResult,
): Promise<void> {
  const { id: runId, session, variant, status, passRate, costUsd, durationMs, counts } = result
  if (session === null || variant === null) return
  const known = await sessions.load(name, session)
  if (known === undefined) return
  const entry = { variant, runId, status, passRate, trials: counts.run, costUsd, durationMs }
  const noted = await sessions.put(name, session, entry)
  const over = noted.variants.filter((one) => one.status === 'completed' || one.status === 'stopped')
  const planned = sessionPlanOf(known)?.variants ?? Object.keys(variants ?? {})
  const isOver = planned.every((one) => over.some((entry) => entry.variant === one))
  if (isOver && noted.status !== 'completed') await sessions.finish(name, session, 'completed')
}
