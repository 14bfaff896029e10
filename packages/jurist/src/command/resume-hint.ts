import { JuristError } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { counted, type RunResult } from '@jurist/experiment/result'
import { commandLine, type GlobalFlags } from './host.js'
import type { Performed } from './perform-run.js'
import type { RunFlags } from './run-flags.js'
import type { RunSoFar } from './run-listeners.js'

/** What says which run or session is to go on. */
interface Resumable {
  readonly experimentName: string
  readonly runId: string
  readonly session: string | null
}

/** What of the flags of a run has to be typed again. */
export type Typed = Pick<RunFlags, 'variant' | 'typed'>

const nothingTyped: Typed = { variant: [], typed: { plan: [], kept: [] } }

/**
 * The command that goes on with a run; with the whole session of one that belongs to one. Which trials it is made of is
 * stored; what it may cost and must reach is typed again.
 */
function resumeLine(
  flags: GlobalFlags,
  { experimentName, runId, session }: Resumable,
  { variant, typed: { kept } }: Typed,
): string {
  if (session === null) return commandLine(flags, 'run', experimentName, '--resume', runId, ...kept)
  const chosen = variant.flatMap((name) => ['--variant', name])
  return commandLine(flags, 'run', experimentName, ...chosen, '--session', session, '--resume', ...kept)
}

/** What is left of runs that broke off, and how to go on; `''` when there are none. */
export function brokenOff(flags: GlobalFlags, runs: readonly RunSoFar[], typed: Typed): string {
  const unfinished = runs.filter(({ ended }) => !ended)
  if (unfinished.length === 0) return ''
  const states = unfinished.map(
    ({ runId, stored, trials }) => `run ${runId} broke off with ${stored} of ${trials} trials stored`,
  )
  const lines = new Set(unfinished.map((run) => resumeLine(flags, run, typed)))
  const sentence = states.join(', ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. Go on with: ${[...lines].join(' ; ')}`
}

/** What an interrupt has left to do, a line each with how to go on; `[]` when nothing was interrupted. */
export function interruptedLines(
  flags: GlobalFlags,
  performed: readonly Performed[],
  notBegun: readonly ExperimentOptions[],
  typed: Typed,
): readonly string[] {
  const { plan, kept } = typed.typed
  return [
    ...performed.flatMap((one) => linesOf(flags, one, typed)),
    ...notBegun.map(
      ({ name }) => `${name} has not begun.  Run it with:  ${commandLine(flags, 'run', name, ...plan, ...kept)}`,
    ),
  ]
}

function linesOf(flags: GlobalFlags, { experiment, ...one }: Performed, typed: Typed): readonly string[] {
  const stopped = one.results.filter(({ status }) => status === 'interrupted')
  const states = [...stopped.map(stored), ...one.left.map((variant) => `${variant} has not begun`)]
  if (states.length === 0) return []
  const run = stopped[0]
  const resumable = { experimentName: experiment.name, runId: run?.id ?? '', session: run?.session ?? one.session }
  return [`${states.join(', ')}.  Go on with:  ${resumeLine(flags, resumable, typed)}`]
}

function stored({ counts, variant, session }: RunResult): string {
  const whose = session === null ? '' : ` of ${variant}`
  return `${counts.run - counts.agent.cancelled} of ${counts.planned} trials${whose} are stored`
}

const makeRoom = /Make room, then go on\.$/

/** A store that broke in the middle with what is safe and how to go on, and a run that cannot go on with how to start anew. */
export function explained(
  thrown: unknown,
  flags: GlobalFlags,
  last: RunSoFar | undefined,
  experiment: string,
  typed: Typed = nothingTyped,
): unknown {
  if (JuristError.is(thrown, 'run-mismatch')) {
    const message = thrown.message.replace(/start a new run\.$/, `start anew: ${commandLine(flags, 'run', experiment)}`)
    return new JuristError('run-mismatch', message, thrown.details, { cause: thrown })
  }
  if (!JuristError.is(thrown, 'store-failed') || last === undefined) return thrown
  const { message, details } = thrown
  const safe = `${counted(last.stored, 'trial')} ${last.stored === 1 ? 'is' : 'are'} stored.`
  const line = resumeLine(flags, last, typed)
  const whole = makeRoom.test(message)
    ? message.replace(makeRoom, `${safe} Make room, then: ${line}`)
    : `${message} ${safe} Go on with: ${line}`
  return new JuristError('store-failed', whole, details, { cause: thrown })
}
