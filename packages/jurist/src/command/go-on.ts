import { commandLine } from './command-line.js'
import type { GlobalFlags } from './host.js'

/** A run as far as its events have told. */
export interface RunSoFar {
  readonly runId: string
  readonly experimentName: string
  /** The session that it belongs to. */
  readonly session: string | null
  readonly trials: number
  readonly stored: number
  readonly ended: boolean
}

/** What says which run or session is to go on. */
interface Resumable {
  readonly experimentName: string
  readonly runId: string
  readonly session: string | null
}

/** The command that goes on with a run; with the whole session of one that belongs to one. */
export function resumeLine(
  flags: GlobalFlags,
  { experimentName, runId, session }: Resumable,
  variants: readonly string[],
): string {
  if (session === null) return commandLine(flags, 'run', experimentName, '--resume', runId)
  const chosen = variants.flatMap((variant) => ['--variant', variant])
  return commandLine(flags, 'run', experimentName, ...chosen, '--session', session, '--resume')
}

/** What is left of runs that broke off, and how to go on; `''` when there are none. */
export function brokenOff(flags: GlobalFlags, runs: readonly RunSoFar[], variants: readonly string[]): string {
  const unfinished = runs.filter(({ ended }) => !ended)
  if (unfinished.length === 0) return ''
  const states = unfinished.map(
    ({ runId, stored, trials }) => `run ${runId} broke off with ${stored} of ${trials} trials stored`,
  )
  const lines = new Set(unfinished.map((run) => resumeLine(flags, run, variants)))
  const sentence = states.join(', ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. Go on with: ${[...lines].join(' ; ')}`
}
