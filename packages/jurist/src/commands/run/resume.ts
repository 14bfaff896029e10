import { JuristError } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { newestUnfinished, sessionPlanOf } from '@jurist/experiment/internal'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { RunResult } from '@jurist/experiment/result'
import type { RunEntry, RunSession } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { findRun, resultsHolding } from '../../command-kit/find-run.js'
import type { Host } from '../../command-kit/host.js'
import type { Results } from '../../command-kit/results-store.js'
import { unknownAmong } from '../../config/problems.js'
import type { Terminal } from '../../terminal/terminal.js'
import type { RunFlags } from './run-flags.js'
import type { RunSoFar } from './run-listeners.js'
import type { Performed } from './run-output.js'

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
      `${resume} is a bundle and cannot be resumed. Extract it first: ${commandLine('store', 'bundle', '--extract', resume)}`,
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

type Command = Terminal['command']

/** The run or session to resume. */
interface Resumable {
  readonly experimentName: string
  readonly runId: string
  readonly session: string | null
}

/** The flags of a run that must be repeated. */
export type Typed = Pick<RunFlags, 'variant' | 'typed'>

const nothingTyped: Typed = { variant: [], typed: { plan: [], kept: [], all: [] } }

/**
 * Returns the command line that resumes this run, or its whole session if it has one. The store contains the selection
 * of trials, but budgets and thresholds must be repeated.
 */
function resumeLine(
  command: Command,
  { experimentName, runId, session }: Resumable,
  { variant, typed: { kept } }: Typed,
): string {
  if (session === null) return command('run', experimentName, '--resume', runId, ...kept)
  const chosen = variant.flatMap((name) => ['--variant', name])
  return command('run', experimentName, ...chosen, '--session', session, '--resume', ...kept)
}

/** Lists incomplete runs with the command to resume them; `''` if all runs have ended. */
export function brokenOff(command: Command, runs: readonly RunSoFar[], typed: Typed): string {
  const unfinished = runs.filter(({ ended }) => !ended)
  if (unfinished.length === 0) return ''
  const states = unfinished.map(
    ({ runId, stored, trials }) => `run ${runId} stopped with ${stored} of ${trials} trials stored`,
  )
  const lines = new Set(unfinished.map((run) => resumeLine(command, run, typed)))
  const sentence = states.join(', ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. Resume with: ${[...lines].join(' ; ')}`
}

/** Lists interrupted work with the commands to resume it, one per line. */
export function interruptedLines(
  command: Command,
  performed: readonly Performed[],
  notBegun: readonly ExperimentOptions[],
  typed: Typed,
): readonly string[] {
  const { plan, kept } = typed.typed
  return [
    ...performed.flatMap((one) => linesOf(command, one, typed)),
    ...notBegun.map(({ name }) => `${name} has not started.  Run it with:  ${command('run', name, ...plan, ...kept)}`),
  ]
}

function linesOf(command: Command, { experiment, ...one }: Performed, typed: Typed): readonly string[] {
  const stopped = one.results.filter(({ status }) => status === 'interrupted')
  const states = [...stopped.map(stored), ...one.left.map((variant) => `${variant} has not started`)]
  if (states.length === 0) return []
  const run = stopped[0]
  const resumable = { experimentName: experiment.name, runId: run?.id ?? '', session: run?.session ?? one.session }
  return [`${states.join(', ')}.  Resume with:  ${resumeLine(command, resumable, typed)}`]
}

function stored({ counts, variant, session }: RunResult): string {
  const whose = session === null ? '' : ` of ${variant}`
  return `${counts.run - counts.agent.cancelled} of ${counts.planned} trials${whose} are stored`
}

/** Adds to an error the stored progress and the command to resume, or for `run-mismatch` the command for a new run. */
export function explained(
  thrown: unknown,
  command: Command,
  last: RunSoFar | undefined,
  experiment: string,
  typed: Typed = nothingTyped,
): unknown {
  if (JuristError.is(thrown, 'run-mismatch')) {
    const { problem } = thrown.details
    if (problem === undefined) return thrown
    const message = `${problem}\nRestore them, or start over: ${command('run', experiment)}`
    return new JuristError('run-mismatch', message, thrown.details, { cause: thrown })
  }
  if (!JuristError.is(thrown, 'store-failed') || last === undefined) return thrown
  const { message, details } = thrown
  const safe = `${counted(last.stored, 'trial')} ${last.stored === 1 ? 'is' : 'are'} stored.`
  const line = resumeLine(command, last, typed)
  const whole =
    details.diskFull === undefined
      ? `${message} ${safe} Resume with: ${line}`
      : `${details.diskFull} ${safe} Free some space, then:  ${line}`
  return new JuristError('store-failed', whole, details, { cause: thrown })
}
