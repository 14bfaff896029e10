import { fitted, padded, widthOf } from './width.js'

/** One column: its title, how it is aligned, and whether it may be cut where the table is too wide. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  readonly shrinks?: boolean
}

interface TableOptions {
  readonly width: number
  readonly indent?: string
  readonly ellipsis?: string
}

const gap = '  '
const narrowest = 10

/** Below this width a table is written as lines. */
const narrowColumns = 60

/**
 * Rows under their titles, as wide as the widest cell; columns that may shrink do so when the table is too wide. Below
 * 60 columns each row becomes lines of `title: cell`.
 */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], options: TableOptions): string {
  const { width, indent = '', ellipsis = '…' } = options
  if (width < narrowColumns) return rows.map((row) => lines(columns, row, options)).join('\n')
  const natural = columns.map(({ title }, at) => Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ''))))
  const widths = shrunk(columns, natural, width - widthOf(indent))
  const line = (cells: readonly string[]) =>
    indent +
    cells
      .map((cell, at) => {
        const room = widths[at] ?? 0
        return padded(widthOf(cell) > room ? fitted(cell, room, ellipsis) : cell, room, columns[at]?.align)
      })
      .join(gap)
      .trimEnd()
  return [line(columns.map(({ title }) => title)), ...rows.map(line)].join('\n')
}

function shrunk(columns: readonly Column[], natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) - room
  while (excess > 0) {
    const at = widths.reduce((best, width, index) => {
      return columns[index]?.shrinks === true && width > (best < 0 ? narrowest : (widths[best] ?? 0)) ? index : best
    }, -1)
    if (at < 0) break
    widths[at] = (widths[at] ?? 0) - 1
    excess -= 1
  }
  return widths
}

function lines(columns: readonly Column[], row: readonly string[], { indent = '' }: TableOptions): string {
  return row
    .flatMap((cell, at) => {
      if (cell === '') return []
      return at === 0 ? [`${indent}${cell}`] : [`${indent}  ${columns[at]?.title}: ${cell}`]
    })
    .join('\n')
}
