import { type Column, safeBlock } from '@jurist/kit/terminal'
import { fenced } from '../../result/fenced.js'
import { markdownText } from '../escape.js'
import type { Section } from './section.js'

/** Sections as Markdown, their titles as headings of a level. */
export function markdownSections(sections: readonly Section[], level: number): string {
  return sections.map((section) => markdownSection(section, level)).join('\n')
}

function markdownSection({ title, lines = [], table, code }: Section, level: number): string {
  return [
    `${'#'.repeat(level)} ${markdownText(title)}`,
    ...(lines.length === 0 ? [] : ['', ...lines.map((line) => `- ${markdownText(line)}`)]),
    ...(table === undefined ? [] : ['', markdownTable(table.columns, table.rows)]),
    ...(code === undefined ? [] : ['', fenced(safeBlock(code))]),
    '',
  ].join('\n')
}

function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => markdownText(cell)).join(' | ')} |`
  return [
    line(columns.map(({ title }) => title)),
    `| ${columns.map(({ align }) => (align === 'right' ? '---:' : '---')).join(' | ')} |`,
    ...rows.map(line),
  ].join('\n')
}
