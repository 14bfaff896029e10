import { plainLine } from '../escape/terminal.js'
import type { Paint } from '../paint.js'
import { textTable } from '../table/text-table.js'
import type { Section } from './section.js'

/** Sections for a terminal of so many columns. */
export function consoleSections(sections: readonly Section[], { bold }: Paint, width: number): string {
  const written = sections.map(({ title, lines = [], table }) =>
    [
      bold(plainLine(title)),
      ...lines.map((line) => `  ${plainLine(line)}`),
      ...(table === undefined ? [] : [textTable(table.columns, table.rows.map(plainCells), { width, indent: '  ' })]),
    ].join('\n'),
  )
  return `${written.join('\n\n')}\n`
}

function plainCells(row: readonly string[]): readonly string[] {
  return row.map(plainLine)
}
