import { dollars, duration } from './amounts.js'
import type { Progress } from './progress.js'
import type { Terminal } from './terminal.js'
import { widthOf } from './width.js'

const widestBar = 28
const narrowestBar = 4

/**
 * How far runs are: a bar, counts, cost, time so far and time left. Where columns are few the bar shrinks first and then
 * goes; what still has no room continues on the next line.
 */
export function summaryLines(
  progress: Progress,
  elapsedMs: number,
  { progressColumns, unicode }: Pick<Terminal, 'progressColumns' | 'unicode'>,
): readonly string[] {
  const room = progressColumns - 1 - indent.length
  const { done, trials, costUsd } = progress
  const parts = [
    `${done}/${trials}`,
    countsText(progress, unicode, room),
    ...(costUsd === null ? [] : [dollars(costUsd)]),
    `${duration(elapsedMs)}${timeLeft(progress, elapsedMs)}`,
  ]
  const bar = Math.min(widestBar, room - widthOf(parts.join(gap)) - gap.length)
  const all = bar < narrowestBar ? parts : [barText(progress, bar, unicode), ...parts]
  return wrapped(all, room).map((line) => `${indent}${line}`)
}

const indent = '  '
const gap = '   '

function countsText({ running, passed, failed, undecided }: Progress, unicode: boolean, room: number): string {
  const ended = [`${passed} passed`, `${failed} failed`, ...(undecided > 0 ? [`${undecided} undecided`] : [])]
  const dot = unicode ? ' · ' : ', '
  const all = [`${running.length} running`, ...ended].join(dot)
  // The trials that run are listed below.
  return widthOf(all) + 12 > room ? ended.join(dot) : all
}

function barText({ done, trials }: Progress, columns: number, unicode: boolean): string {
  const filled = trials === 0 ? 0 : Math.min(columns, Math.round((done / trials) * columns))
  const [full, empty] = unicode ? ['█', '░'] : ['#', '.']
  return `${full.repeat(filled)}${empty.repeat(columns - filled)}`
}

/** By the pace so far. */
function timeLeft({ done, resumed, trials }: Progress, elapsedMs: number): string {
  const ended = done - resumed
  return ended < 1 || done >= trials ? '' : `, about ${duration((elapsedMs / ended) * (trials - done))} left`
}

/** The parts on as few lines as hold them. */
function wrapped(parts: readonly string[], room: number): readonly string[] {
  const lines: string[] = []
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)}${gap}${part}`
    if (lines.length > 0 && widthOf(longer) <= room) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines
}
