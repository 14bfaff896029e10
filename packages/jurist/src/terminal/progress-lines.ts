import type { ExperimentEvent } from '@jurist/experiment'
import { outcomeOf, reasonOf } from '@jurist/experiment/result'
import { counted, dollars, duration } from './amounts.js'
import { type EndedTrial, follower } from './progress.js'
import { safeLine } from './safe-text.js'
import type { Terminal } from './terminal.js'
import { padded } from './width.js'

/** Shows how far runs are. `stop` leaves the terminal as a shell expects it. */
export interface ProgressView {
  readonly show: (event: ExperimentEvent) => void
  readonly stop: () => void
}

const quietMs = 60_000

/** Progress as plain lines: one for each trial that ended, and at least one a minute. */
export function progressLines(terminal: Terminal, runs: number): ProgressView {
  const { follow, progress } = follower(runs)
  let saidAt = Date.now()
  const say = (line: string) => {
    saidAt = Date.now()
    terminal.err(`${line}\n`)
  }
  const clock = setInterval(() => {
    if (Date.now() - saidAt < quietMs) return
    const { done, trials, running } = progress()
    say(`[${done}/${trials}] ${counted(running.length, 'trial')} running`)
  }, 5_000)
  clock.unref()
  return {
    show(event) {
      const ended = follow(event)
      if (event.type === 'experiment-start') say(startLine(event))
      if (event.type === 'warning') say(`warning: ${safeLine(event.message)}`)
      if (event.type === 'experiment-stop' && event.reason !== 'cancelled') say(`stopping: ${safeLine(event.message)}`)
      const { done, trials } = progress()
      if (ended !== undefined) say(`[${done}/${trials}] ${endedLine(ended)}`)
    },
    stop: () => clearInterval(clock),
  }
}

function startLine(event: ExperimentEvent & { readonly type: 'experiment-start' }): string {
  const { experimentName, variant, runId, trials, resumed } = event
  const stored = resumed === 0 ? '' : `, ${resumed} of them stored already`
  return `${experimentName}${variant === null ? '' : ` ${variant}`} run ${runId}: ${counted(trials, 'trial')}${stored}`
}

/** `pass  rename-customer #1  14.2s  $0.07  why`: a trial that ended, on one line. */
export function endedLine({ variant, result }: EndedTrial): string {
  const name = `${variant === null ? '' : `${variant}/`}${safeLine(result.itemId)} #${result.repetition}`
  const cost = result.costUsd === null ? '' : `  ${dollars(result.costUsd)}`
  const line = `${padded(outcomeOf(result), 9)}  ${name}  ${duration(result.durationMs)}${cost}`
  const reason = result.passed === true ? '' : safeLine(reasonOf(result))
  return reason === '' ? line : `${line}  ${reason}`
}
