import { createHash } from 'node:crypto'
import { asText } from '@jurist/core'
import { expectedOutputOf } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { diffReport, type FileDiff } from '../terminal/diff-report.js'
import type { Terminal } from '../terminal/terminal.js'

/** What a person sees of a trial before the label: never what a judge said. */
export interface ShownTrial {
  readonly itemId: string
  readonly repetition: number
  readonly task: string
  /** The right answer of the dataset; `null`: the item has no right answer. */
  readonly expected: string | null
  /** `null`: the agent answered nothing. */
  readonly output: string | null
  /** The changed files, or why they are unknown; `null`: the trial has no workspace. */
  readonly changes: readonly FileDiff[] | string | null
  /** SHA-256 of all of this. */
  readonly hash: string
}

/** What is shown of a trial. */
export function shownTrial(trial: ItemResult, changes: ShownTrial['changes']): ShownTrial {
  const { itemId, repetition, task, detail } = trial
  const answer = detail?.kind === 'agent' ? detail.invocation.output : undefined
  const right = expectedOutputOf(trial)
  const shown = {
    itemId,
    repetition,
    task,
    expected: right === null ? null : asText(right),
    output: answer === undefined ? null : asText(answer),
    changes,
  }
  const lines = Array.isArray(changes) ? changes.map(({ path, lines }) => [path, lines]) : changes
  const hash = createHash('sha256')
    .update(JSON.stringify({ ...shown, changes: lines }))
    .digest('hex')
  return Object.freeze({ ...shown, hash })
}

/** How much of each part is shown. */
export interface ShownLines {
  readonly output: number
  readonly changes: number
}

/** The trial for a terminal, long parts cut with the key that shows them whole. */
export function shownText(
  { task, expected, output, changes }: ShownTrial,
  terminal: Terminal,
  most: ShownLines,
): string {
  const part = (title: string, text: string, lines: number, key: string) => [
    `  ${terminal.style.bold(title)}`,
    ...cut(
      safeBlock(text)
        .split('\n')
        .map((line) => `    ${line}`),
      lines,
      key,
    ),
    '',
  ]
  return [
    ...part('Task', task, most.output, 'o'),
    ...(expected === null ? [] : part('Expected', expected, most.output, 'o')),
    ...part('Output', output ?? 'The agent answered nothing.', most.output, 'o'),
    changesText(changes, terminal, most.changes),
  ].join('\n')
}

/** What the agent changed in the workspace; nothing for a trial without one. */
export function changesText(changes: ShownTrial['changes'], terminal: Terminal, most: number): string {
  if (changes === null) return ''
  if (typeof changes === 'string') return `  ${safeLine(changes)}\n`
  return cut(diffReport('Changes', changes, terminal).split('\n'), most, 'd').join('\n')
}

function cut(lines: readonly string[], most: number, key: string): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most), `    … ${lines.length - most} more lines: press ${key}`]
}
