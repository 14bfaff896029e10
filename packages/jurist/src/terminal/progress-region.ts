import type { ExperimentEvent } from '@jurist/experiment'
import { duration } from './amounts.js'
import { type EndedTrial, follower, type Progress, type RunningTrial } from './progress.js'
import { endedLine, type ProgressView } from './progress-lines.js'
import { summaryLines } from './progress-summary.js'
import { safeLine } from './safe-text.js'
import type { Terminal } from './terminal.js'
import { fitted, padded } from './width.js'

interface RegionOptions {
  readonly runs: number
  /** Whether trials that passed scroll by too. */
  readonly verbose: boolean
}

const redrawMs = 100
const maxRunning = 8

/** Progress as a few lines at the foot of the terminal, redrawn at most ten times a second. */
export function progressRegion(terminal: Terminal, { runs, verbose }: RegionOptions): ProgressView {
  const { follow, progress } = follower(runs)
  const startedAt = Date.now()
  let drawn = 0
  const wipe = () => (drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`)
  const draw = (above = '') => {
    const lines = regionLines(progress(), Date.now() - startedAt, terminal)
    terminal.err(`${wipe()}${above}${lines.map((line) => `${line}\n`).join('')}`)
    drawn = lines.length
  }
  const scroll = (line: string) => draw(`${fitted(line, terminal.progressColumns - 1)}\n`)
  const clock = setInterval(draw, redrawMs, '')
  clock.unref()
  return {
    show(event: ExperimentEvent) {
      const ended = follow(event)
      if (event.type === 'warning') scroll(`warning: ${safeLine(event.message)}`)
      if (ended !== undefined && isWorthSeeing(ended, verbose)) scroll(endedLine(ended))
    },
    stop() {
      clearInterval(clock)
      terminal.err(wipe())
      drawn = 0
    },
  }
}

function isWorthSeeing({ result }: EndedTrial, verbose: boolean): boolean {
  return verbose || result.passed !== true
}

function regionLines(progress: Progress, elapsedMs: number, terminal: Terminal): readonly string[] {
  if (progress.runs === 0) return ['preparing']
  const shown = progress.running.slice(0, maxRunning)
  const more = progress.running.length > maxRunning ? [`  and ${progress.running.length - maxRunning} more`] : []
  const lines = [...summaryLines(progress, elapsedMs, terminal), ...shown.map(runningLine), ...more]
  return lines.map((line) => fitted(line, terminal.progressColumns - 1, terminal.unicode ? '…' : '~'))
}

function runningLine({ variant, itemId, repetition, phase, since }: RunningTrial): string {
  const name = `${variant === null ? '' : `${variant}/`}${safeLine(itemId)} #${repetition}`
  return `  ${padded(name, 32)}  ${padded(phase, 6)} ${duration(Date.now() - since)}`
}
