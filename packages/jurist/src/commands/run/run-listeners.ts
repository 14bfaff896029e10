import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentEvent, Reporter } from '@jurist/experiment'
import { unwritten } from '../../command-kit/files.js'
import type { Host } from '../../command-kit/host.js'
import { type ProgressView, progressView, restartNotice } from '../../terminal/progress-view.js'
import { eventFileOf, type RunFlags } from './run-flags.js'

/** The state of a run according to its events. */
export interface RunSoFar {
  readonly runId: string
  readonly experimentName: string
  /** The session of the run. */
  readonly session: string | null
  readonly trials: number
  readonly stored: number
  readonly ended: boolean
}

/** The listeners of a command's runs. */
export interface Listeners {
  /** Receives an event, and the session of its run. */
  readonly onEvent: (event: ExperimentEvent, session?: string) => void | Promise<void>
  readonly stop: () => void
  /** Every run that has started, in that order. */
  readonly soFar: () => readonly RunSoFar[]
  /** A sentence for each incomplete event file. */
  readonly unwritten: () => readonly string[]
}

/** Combines the progress in this terminal, the files of `--reporter`, and the reporters of the config. */
export function listenersOf(host: Host, read: RunFlags, reporters: readonly Reporter[], runs: number): Listeners {
  const view = viewOf(host, read, runs)
  const files = read.reporter.flatMap((reporter) => {
    const name = eventFileOf(reporter)
    return name === undefined ? [] : [eventFile(name, resolve(host.cwd, name))]
  })
  const begun = new Map<string, RunSoFar>()
  return {
    onEvent(event, session) {
      follow(begun, event, session ?? null)
      if (event.type === 'experiment-start' && read.resume !== undefined) noteStored(host, event, read)
      view?.show(event)
      for (const file of files) file.write(event)
      return reporters.length === 0 ? undefined : reported(reporters, event)
    },
    stop: () => view?.stop(),
    soFar: () => [...begun.values()],
    unwritten: () => files.flatMap((file) => file.failure() ?? []),
  }
}

async function reported(reporters: readonly Reporter[], event: ExperimentEvent): Promise<void> {
  await Promise.all(reporters.map((reporter) => reporter(event)))
}

/** Prints a notice if resuming runs everything again or nothing, which the user may not expect. */
function noteStored(
  { note }: Host,
  event: ExperimentEvent & { readonly type: 'experiment-start' },
  { distributed }: RunFlags,
): void {
  const who = event.variant ?? event.experimentName
  // A followed run may have stored nothing so far.
  const restart = distributed ? undefined : restartNotice(event)
  if (restart !== undefined) note(restart)
  else if (event.resumed >= event.trials) note(`${who}: every trial is stored already; none runs.`)
}

/** Updates the state of a run. */
function follow(begun: Map<string, RunSoFar>, event: ExperimentEvent, session: string | null): void {
  const { runId } = event
  if (event.type === 'experiment-start') {
    const { experimentName, trials, resumed: stored } = event
    begun.set(runId, { runId, experimentName, session, trials, stored, ended: false })
  }
  const run = begun.get(runId)
  if (run === undefined) return
  if (event.type === 'item-end') begun.set(runId, { ...run, stored: event.done })
  if (event.type === 'experiment-end') begun.set(runId, { ...run, ended: true })
}

function viewOf({ terminal, flags }: Host, { reporter, verbose }: RunFlags, runs: number): ProgressView | undefined {
  if (flags.quiet === true) return undefined
  return progressView(terminal, { runs, verbose }, reporter.includes('plain') || !terminal.live)
}

/** A file for events, one per line. */
interface EventFile {
  readonly write: (event: ExperimentEvent) => void
  /** Returns the reason why the file is incomplete. */
  readonly failure: () => string | undefined
}

function eventFile(name: string, path: string): EventFile {
  let failure: string | undefined
  // The run continues if the file cannot be written.
  const attempt = (action: () => void) => {
    if (failure !== undefined) return
    try {
      action()
    } catch (thrown) {
      failure = `${failureOf(unwritten(name, thrown)).message} Later events are missing there.`
    }
  }
  attempt(() => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '')
  })
  return {
    write: (event) => attempt(() => appendFileSync(path, `${JSON.stringify(event)}\n`)),
    failure: () => failure,
  }
}
