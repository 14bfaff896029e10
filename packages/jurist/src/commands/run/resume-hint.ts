import { JuristError } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { counted } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import type { Terminal } from '../../terminal/terminal.js'
import type { Performed } from './perform-run.js'
import type { RunFlags } from './run-flags.js'
import type { RunSoFar } from './run-listeners.js'

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
