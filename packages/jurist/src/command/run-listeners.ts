import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ExperimentEvent, Reporter } from '@jurist/experiment'
import { type ProgressView, progressLines } from '../terminal/progress-lines.js'
import { progressRegion } from '../terminal/progress-region.js'
import type { Host } from './host.js'
import type { RunFlags } from './run-flags.js'

/** Everybody who hears of the events of a command's runs. */
export interface Listeners {
  readonly onEvent: Reporter
  readonly stop: () => void
  /** The run that spoke last, and how many of its trials are stored. */
  readonly last: () => { readonly runId: string | undefined; readonly experimentName: string; readonly stored: number }
}

/** The progress of this terminal, the files of `--reporter`, and the reporters of the config. */
export function listenersOf(host: Host, read: RunFlags, reporters: readonly Reporter[], runs: number): Listeners {
  const view = viewOf(host, read, runs)
  const files = read.reporters.flatMap((reporter) => {
    const at = reporter.indexOf('=')
    return at < 0 || reporter.startsWith('junit=') ? [] : [eventFile(resolve(host.cwd, reporter.slice(at + 1)))]
  })
  let last: { readonly runId: string | undefined; readonly experimentName: string; readonly stored: number } = {
    runId: undefined,
    experimentName: '',
    stored: 0,
  }
  return {
    async onEvent(event) {
      if (event.type === 'experiment-start') {
        const { runId, experimentName, variant, resumed: stored } = event
        last = { runId, experimentName, stored }
        // Who asked to go on must not pay for everything unawares.
        if (read.resume !== undefined && stored === 0)
          host.note(`${variant ?? experimentName}: nothing is stored to go on with; every trial runs.`)
      }
      if (event.type === 'item-end') last = { ...last, stored: event.done }
      view?.show(event)
      for (const write of files) write(event)
      await Promise.all(reporters.map((reporter) => reporter(event)))
    },
    stop: () => view?.stop(),
    last: () => last,
  }
}

function viewOf({ terminal, flags }: Host, { reporters, verbose }: RunFlags, runs: number): ProgressView | undefined {
  if (flags.quiet === true) return undefined
  const plain = reporters.includes('plain') || !terminal.live
  return plain ? progressLines(terminal, runs) : progressRegion(terminal, { runs, verbose })
}

/** A file that events are written to, one a line. */
function eventFile(path: string): (event: ExperimentEvent) => void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return (event) => appendFileSync(path, `${JSON.stringify(event)}\n`)
}
