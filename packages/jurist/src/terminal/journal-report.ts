import type { StoredJournal } from '@jurist/experiment/internal'
import {
  figuresText,
  isToolStep,
  type JournalStep,
  journalFigures,
  type StepContent,
  stepReader,
  stepSummary,
  stepWord,
} from '@jurist/experiment/internal/journal'
import { counted } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import { fitted, padded, safeBlock, safeLine } from '@jurist/kit/terminal'
import { unifiedDiff } from '@jurist/kit/text-diff'

import type { Terminal } from './terminal.js'

/**
 * The maximum number of lines of each kind of text. The output of a call is truncated at its beginning, since its end
 * contains the result.
 */
const mostLines = { message: 40, thinking: 8, failure: 30, output: 4, edit: 60 } as const

/** The number of records that are read and printed at a time. */
const partSize = 4_000

/**
 * Formats the journal of a trial for people, in parts: a journal may have hundreds of thousands of events. A call waits
 * for its result, and what follows it waits too. The figures of a long journal come last.
 */
export async function* journalReport(journal: StoredJournal, terminal: Terminal): AsyncGenerator<string, void> {
  const read = stepReader()
  const title = `  ${terminal.style.bold('Journal')}   `
  let [from, printed] = [0, 0]
  for (;;) {
    const records = await journal.read(from, partSize)
    const steps = read(records)
    const isWhole = from + records.length >= journal.total
    const figures = isWhole ? figuresText(journalFigures(steps)) : ''
    if (from === 0) yield `${title}${isWhole ? figures : counted(journal.total, 'event')}\n\n`
    const until = isWhole ? steps.length : steps.findIndex((step, at) => at >= printed && isPending(step))
    const settled = steps.slice(printed, until < 0 ? steps.length : until)
    const lines = settled.flatMap((step) =>
      ['', ...stepLines(step, terminal)].slice(step.content.kind === 'phase' ? 0 : 1),
    )
    if (lines.length > 0) yield `${lines.join('\n')}\n`
    if (isWhole && from > 0) yield `\n${title}${figures}\n`
    if (isWhole) return
    printed += settled.length
    from += records.length
  }
}

function isPending({ content }: JournalStep): boolean {
  return isToolStep(content) && 'output' in content && content.output === null
}

const indent = ' '.repeat(14)

function stepLines(step: JournalStep, terminal: Terminal): readonly string[] {
  const { style, columns } = terminal
  const { content, sinceStartMs, isFailed } = step
  if (content.kind === 'phase') return [`    ${style.bold(safeLine(`Phase ${content.name}`))}`]
  const time = padded(sinceStartMs === null ? '' : `+${duration(sinceStartMs)}`, 8, 'right')
  const word = style.bold(safeLine(stepWord(content)))
  const body = bodyOf(content, isFailed)
  const isMessage = body.kind === 'message' || body.kind === 'thinking'
  const end = endText(step)
  const room = Math.max(20, columns - indent.length - stepWord(content).length - end.length - 4)
  const summary = isMessage ? '' : fitted(safeLine(stepSummary(content)), room)
  const head = [`    ${style.dim(time)}  ${word}`, summary, isFailed ? style.red(end) : style.dim(end)]
  return [head.filter((part) => part !== '').join('  '), ...bodyLines(body, terminal)]
}

/** Formats the end of a call: failure, exit code, time. */
function endText(step: JournalStep): string {
  const { content, isFailed, elapsedMs } = step
  const exit = 'exitCode' in content && content.exitCode !== undefined ? `exit ${content.exitCode}` : ''
  const pending = isPending(step) ? 'no result' : ''
  const time = elapsedMs === null ? '' : duration(elapsedMs)
  return [isFailed ? 'failed' : '', exit, pending, time].filter((part) => part !== '').join(', ')
}

interface Body {
  readonly kind: keyof typeof mostLines
  readonly text: string
}

function bodyOf(content: StepContent, isFailed: boolean): Body {
  switch (content.kind) {
    case 'prompt':
    case 'text':
      return { kind: 'message', text: content.text }
    case 'thinking':
      return { kind: 'thinking', text: content.text }
    case 'edit':
      return {
        kind: 'edit',
        text: [...(content.edits ?? []).flatMap(editLines), ...failedOutput(content.output, isFailed)].join('\n'),
      }
    case 'shell':
    case 'tool':
    case 'result':
      return { kind: isFailed ? 'failure' : 'output', text: content.output ?? '' }
    case 'output':
      return { kind: 'failure', text: content.output }
    case 'other':
      return { kind: 'output', text: isFailed ? JSON.stringify(content.value, null, 2) : '' }
    case 'phase':
    case 'model-call':
    case 'state':
    case 'file':
      return { kind: 'output', text: '' }
    default:
      return content satisfies never
  }
}

type Edit = NonNullable<Extract<StepContent, { readonly kind: 'edit' | 'shell' | 'tool' }>['edits']>[number]

function editLines({ path, change, parts }: Edit, _: number, edits: readonly Edit[]): readonly string[] {
  const lines = parts.flatMap(({ before, after }) => unifiedDiff(before, after).filter((line) => !/^@@|^\\/.test(line)))
  return edits.length === 1 ? lines : [`${change} ${path}`, ...lines]
}

function failedOutput(output: string | null, isFailed: boolean): readonly string[] {
  return isFailed && output !== null ? [output] : []
}

function bodyLines({ kind, text }: Body, { style }: Terminal): readonly string[] {
  const lines = safeBlock(text).trimEnd().split('\n')
  if (lines.length === 1 && lines[0] === '') return []
  const most = mostLines[kind]
  const omitted = Math.max(0, lines.length - most)
  const isTail = kind === 'failure' || kind === 'output'
  const shown = isTail ? lines.slice(omitted) : lines.slice(0, most)
  const note = omitted === 0 ? [] : [style.dim(`${indent}… ${counted(omitted, 'more line')} (--json has them)`)]
  const painted = shown.map((line) => painterOf(kind, line, style)(`${indent}${line}`.trimEnd()))
  return isTail ? [...note, ...painted] : [...painted, ...note]
}

function painterOf(kind: Body['kind'], line: string, { red, green, dim }: Terminal['style']): (text: string) => string {
  if (kind === 'thinking' || kind === 'output') return dim
  if (kind !== 'edit') return (text) => text
  return line.startsWith('+') ? green : line.startsWith('-') ? red : (text) => text
}
