import { type AgentOutput, asText } from '@jurist/core'
import type { ShownTrial } from '@jurist/experiment/internal'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { diffReport, type FileDiff } from '../terminal/diff-report.js'
import type { Terminal } from '../terminal/terminal.js'

/** How much of each part is shown. */
export interface ShownLines {
  readonly output: number
  readonly changes: number
}

/** The trial for a terminal, long parts cut with the key that shows them whole. */
export function shownText(
  { task, expected, output, changes }: ShownTrial<FileDiff>,
  terminal: Terminal,
  most: ShownLines,
): string {
  const part = (title: string, text: AgentOutput | string, lines: number, key: string) => [
    `  ${terminal.style.bold(title)}`,
    ...cut(
      safeBlock(typeof text === 'string' ? text : asText(text))
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
export function changesText(changes: ShownTrial<FileDiff>['changes'], terminal: Terminal, most: number): string {
  if (changes === null) return ''
  if (typeof changes === 'string') return `  ${safeLine(changes)}\n`
  return cut(diffReport('Changes', changes, terminal).split('\n'), most, 'd').join('\n')
}

function cut(lines: readonly string[], most: number, key: string): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most), `    … ${lines.length - most} more lines: press ${key}`]
}
