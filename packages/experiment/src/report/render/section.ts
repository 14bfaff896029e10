import { type Column, type Styles, safeBlock, safeLine, textTable } from '@jurist/kit/terminal'

/** A part of a report before it is written for a target: plain texts, not yet escaped for anything. */
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

/** A section with a table; nothing at all when the table has no rows. */
export function tableSection(
  title: string,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly Section[] {
  return rows.length === 0 ? [] : [{ title, table: { columns, rows } }]
}

/** A section of sentences; nothing when there are none. */
export function lineSection(title: string, lines: readonly string[]): readonly Section[] {
  return lines.length === 0 ? [] : [{ title, lines }]
}

/** Sections for a terminal of so many columns. */
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

function plainCells(row: readonly string[]): readonly string[] {
  return row.map(safeLine)
}
