import type { ExperimentEvent } from '@jurist/experiment'
import { counted } from '@jurist/experiment/internal/results'
import { safeLine } from '@jurist/kit/terminal'
import type { runMutants } from '@jurist/vet'
import type { ProgressView } from './progress-view.js'
import type { Terminal } from './terminal.js'

const betweenMs = 5_000

/** The progress of a command that vets. */
export interface VetProgress extends ProgressView {
  /** Shows how far survivors have been compared with their references. */
  readonly proving: NonNullable<NonNullable<Parameters<typeof runMutants>[1]>['onProof']>
}

/** Progress of runs that vet a benchmark, as plain lines: what begins, warnings, and every few seconds how far it is. */
export function vetProgress(terminal: Terminal, isQuiet: boolean): VetProgress {
  let saidAt = 0
  let kind = ''
  const say = (line: string) => terminal.err(`${line}\n`)
  return {
    show(event: ExperimentEvent) {
      if (isQuiet) return
      if (event.type === 'experiment-start') {
        const stored = event.resumed === 0 ? '' : `, ${event.resumed} of them stored already`
        kind = event.kind
        say(`${kind} ${event.experimentName} run ${event.runId}: ${counted(event.trials, 'trial')}${stored}`)
      }
      if (event.type === 'warning') say(`warning: ${safeLine(event.message)}`)
      if (event.type === 'experiment-stop' && event.reason !== 'cancelled') say(`stopping: ${safeLine(event.message)}`)
      if (event.type !== 'item-end') return
      if (event.done < event.trials && Date.now() - saidAt < betweenMs) return
      saidAt = Date.now()
      say(`${kind} [${event.done}/${event.trials}]`)
    },
    proving({ runId, done, survivors, stored }) {
      if (isQuiet) return
      const isFirst = done === stored
      if (!isFirst && done < survivors && Date.now() - saidAt < betweenMs) return
      saidAt = isFirst ? saidAt : Date.now()
      const known = stored === 0 ? '' : `, ${stored} of them stored already`
      say(isFirst ? `prove run ${runId}: ${counted(survivors, 'survivor')}${known}` : `prove [${done}/${survivors}]`)
    },
    stop: () => undefined,
  }
}
