import { type AlikeTrials, alikeTrials, counted, trialsOf } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { fitted, safeLine, widthOf } from '@jurist/kit/terminal'
import { markOf, painted } from './marks.js'
import type { Terminal } from './terminal.js'
import { trialName } from './trial-name.js'

const longestReason = 2_000
const mostLines = 5
const mostNames = 3

/**
 * Why trials did not pass: those of reasons that are alike in one entry, the most frequent first, `most` entries. A reason
 * is never cut where it says why: it continues on the next line.
 */
export function failureLines(result: RunResult, terminal: Terminal, most: number): readonly string[] {
  const groups = alikeTrials(trialsOf(result))
  if (groups.length === 0 || most === 0) return []
  const left = groups.slice(most).reduce((sum, { trials }) => sum + trials.length, 0)
  return [
    '',
    ...groups.slice(0, most).flatMap((group) => groupLines(group, terminal)),
    ...(left === 0 ? [] : [`  and ${left} more: jurist show ${result.id} --failures`]),
  ]
}

function groupLines({ outcome, reason, same, trials }: AlikeTrials, terminal: Terminal): readonly string[] {
  const { style, unicode } = terminal
  const [first] = trials
  if (first === undefined) return []
  const name = trials.length === 1 ? trialName(first) : counted(trials.length, 'trial')
  const head = `  ${painted(outcome, markOf(outcome, unicode), style)} ${style.bold(name)}  ${painted(outcome, outcome, style)}  `
  const lines = wrapped(safeLine(reason), head, terminal)
  if (trials.length === 1) return lines
  const names = trials.slice(0, mostNames).map(trialName).join(', ')
  const more = trials.length > mostNames ? ` and ${trials.length - mostNames} more` : ''
  return [...lines, style.dim(`      ${same ? '' : 'and alike: '}${names}${more}`)]
}

/** A text after a head, broken at blanks to the width of the terminal; further lines are indented. */
function wrapped(text: string, head: string, { columns, unicode }: Terminal): readonly string[] {
  const ellipsis = unicode ? '…' : '~'
  const room = Math.max(40, Math.min(columns, longestReason))
  const lines = [head]
  for (const word of text.split(' ')) {
    const last = lines.length - 1
    const line = lines[last] ?? ''
    const isStart = line === head || line === indent
    const longer = isStart ? `${line}${word}` : `${line} ${word}`
    if (widthOf(longer) <= room || (isStart && line !== head)) lines[last] = fitted(longer, room, ellipsis)
    else if (lines.length === mostLines) return [...lines.slice(0, last), fitted(`${line} ${ellipsis}`, room, ellipsis)]
    else lines.push(fitted(`${indent}${word}`, room, ellipsis))
  }
  return lines
}

const indent = '      '
