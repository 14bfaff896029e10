import { cut, padded, widthOf } from './width.js'

/** One column of a table for terminals. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
}

const gap = '  '
const narrowest = 8

/**
 * Rows under their titles, as wide as the widest cell; where that is more than `width` columns, the widest column is cut
 * until it fits.
 */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, indent = '' }: { readonly width: number; readonly indent?: string },
): string {
  const widest = columns.map(({ title }, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), widthOf(title)),
  )
  const widths = shrunk(widest, width - indent.length)
  const line = (cells: readonly string[]) =>
    indent +
    cells
      .map((cell, at) => padded(cut(cell, widths[at] ?? 0), widths[at] ?? 0, columns[at]?.align))
      .join(gap)
      .trimEnd()
  return [line(columns.map(({ title }) => title)), ...rows.map(line)].join('\n')
}

function shrunk(widest: readonly number[], room: number): readonly number[] {
  const widths = [...widest]
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) - room
  while (excess > 0) {
    const most = Math.max(...widths)
    if (most <= narrowest) break
    widths[widths.indexOf(most)] = most - 1
    excess -= 1
  }
  return widths
}
