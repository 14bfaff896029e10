import { type OptionRule, option } from '@jurist/core/internal'
import { type Column, type Styles, safeBlock, safeLine, stylesFor, textTable } from '@jurist/kit/terminal'
import { excerptLines, fenced } from '../result/excerpt.js'
import type { FailureBlock } from './content/evidence.js'
import { markdownText, markup } from './escape.js'
import type { ComparisonReportOptions } from './report-options.js'

/** A part of a report, independent of its format: its strings are not escaped yet. */
export interface Section {
  readonly title: string
  /** Plain sentences, in order, before the table. */
  readonly lines?: readonly string[]
  readonly table?: {
    readonly columns: readonly Column[]
    readonly rows: readonly (readonly string[])[]
  }
  /** Code or output, after the table. */
  readonly code?: string
}

/** A column, or the title of one on the left, and its cell in each row. */
export type ColumnOf<Row> = readonly [column: string | Column, cell: (row: Row) => string]

/** A table with a row for each value. */
export function tableOf<Row>(values: readonly Row[], columns: readonly ColumnOf<Row>[]): NonNullable<Section['table']> {
  return {
    columns: columns.map(([column]) => (typeof column === 'string' ? { title: column } : column)),
    rows: values.map((value) => columns.map(([, cell]) => cell(value))),
  }
}

/** A section with a table of values, or nothing if there are none. */
export function valuesSection<Row>(
  title: string,
  values: readonly Row[],
  columns: readonly ColumnOf<Row>[],
  lines?: readonly string[],
): readonly Section[] {
  return values.length === 0 ? [] : [{ title, lines, table: tableOf(values, columns) }]
}

/** A section of sentences; nothing when there are none. */
export function lineSection(title: string, lines: readonly string[]): readonly Section[] {
  return lines.length === 0 ? [] : [{ title, lines }]
}

/** Formats sections for a terminal of this width. */
export function consoleSections(sections: readonly Section[], { bold }: Styles, width: number): string {
  const written = sections.map(({ title, lines = [], table, code }) =>
    [
      bold(safeLine(title)),
      ...lines.map((line) => `  ${safeLine(line)}`),
      ...(table === undefined ? [] : [textTable(table.columns, table.rows.map(plainCells), { width, indent: '  ' })]),
      ...(code === undefined ? [] : [safeBlock(code).replace(/^(?=.)/gm, '    ')]),
    ].join('\n'),
  )
  return `${written.join('\n\n')}\n`
}

export const formatRules: { readonly [name in keyof Required<ComparisonReportOptions>]: OptionRule } = {
  format: option.oneOf('console', 'markdown'),
  color: option.boolean,
  width: option.integer(1),
}

/** Formats sections as the options of a report ask for. */
export function writtenSections(
  sections: readonly Section[],
  { format = 'console', color = false, width = 100 }: ComparisonReportOptions,
): string {
  return format === 'console' ? consoleSections(sections, stylesFor(color), width) : markdownSections(sections, 2)
}

function plainCells(row: readonly string[]): readonly string[] {
  return row.map(safeLine)
}

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

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse } th, td { padding: .2rem .7rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top }
.right { text-align: right; font-variant-numeric: tabular-nums }
pre { padding: .7rem; border: 1px solid #8884; overflow-x: auto; font-size: .85rem }
`

/** A whole page without scripts and without anything from elsewhere. */
export function htmlPage({ title, sections }: { title: string; sections: readonly Section[] }): string {
  const name = markup(safeLine(title))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${name}</h1>
${sections.map(htmlSection).join('\n')}
</main>
</body>
</html>
`
}

function htmlSection({ title, lines = [], table, code }: Section): string {
  return [
    `<h2>${markup(safeLine(title))}</h2>`,
    ...lines.map((line) => `<p>${markup(safeLine(line))}</p>`),
    ...(table === undefined ? [] : [htmlTable(table)]),
    ...(code === undefined ? [] : [`<pre tabindex="0">${markup(safeBlock(code))}</pre>`]),
  ].join('\n')
}

function htmlTable({ columns, rows }: NonNullable<Section['table']>): string {
  const side = (index: number) => (columns[index]?.align === 'right' ? ' class="right"' : '')
  const head = columns.map(({ title }, index) => `<th scope="col"${side(index)}>${markup(safeLine(title))}</th>`)
  const body = rows.map(
    (row) => `<tr>${row.map((cell, index) => `<td${side(index)}>${markup(safeLine(cell))}</td>`).join('')}</tr>`,
  )
  return `<div class="wide" tabindex="0"><table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table></div>`
}

/** A folded block. */
export interface Details {
  readonly summary: string
  readonly blocks: readonly FailureBlock[]
}

const mostLines = 40
const longestLine = 500

/** Details as a folded block of Markdown. A long output is shortened to the lines that show the failure. */
export function markdownDetails({ summary, blocks }: Details): string {
  const parts = blocks.flatMap(({ title, text }) => [
    markdownText(title),
    '',
    ...(text === '' ? [] : [fenced(excerptLines(text, mostLines, longestLine)), '']),
  ])
  // A blank line ends the HTML, and Markdown follows. The summary is Markdown's text within an element of HTML.
  return ['<details>', '<summary>', '', markdownText(summary), '', '</summary>', '', ...parts, '</details>', ''].join(
    '\n',
  )
}
