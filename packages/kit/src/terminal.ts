import ansiRegex from 'ansi-regex'
import { eastAsianWidth } from 'get-east-asian-width'

/** Text styles of a terminal. Colour never carries meaning alone. */
export interface Styles {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

/** With `false`, each style returns its text unchanged. */
export function stylesFor(color: boolean): Styles {
  const style = (on: number, off: number) => (text: string) =>
    color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return { bold: style(1, 22), dim: style(2, 22), red: style(31, 39), green: style(32, 39), yellow: style(33, 39) }
}

const escapeSequences = ansiRegex()
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g
const lineBreaks = /\r\n|[\n\r\u2028\u2029]/g
const printableAscii = /^[\u0020-\u007e]*$/

/**
 * Removes from untrusted text everything that a terminal would execute: escape sequences, control characters, and marks
 * that change the writing direction. Line breaks become `\n`, tabs two spaces.
 */
export function safeBlock(text: string): string {
  return text.replace(lineBreaks, '\n').replace(escapeSequences, '').replaceAll('\t', '  ').replace(controls, '')
}

/** Like `safeBlock`, on one line. */
export function safeLine(text: string): string {
  if (printableAscii.test(text)) return text.trim()
  return safeBlock(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim()
}

const zeroWidth = /\p{Mn}|\p{Me}|\p{Cf}/u

/** Returns the number of terminal columns that a string occupies. Styles occupy none. */
export function widthOf(text: string): number {
  const plain = text.replace(escapeSequences, '')
  if (printableAscii.test(plain)) return plain.length
  return [...plain].reduce((sum, character) => sum + columnsOf(character), 0)
}

function columnsOf(character: string): number {
  return zeroWidth.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0)
}

/** Truncates a string to at most `width` columns. A truncated string ends in `ellipsis` and loses its styles. */
export function fitted(text: string, width: number, ellipsis = '…'): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let columns = 0
  for (const character of text.replace(escapeSequences, '')) {
    columns += columnsOf(character)
    if (columns > width - 1) break
    kept += character
  }
  return width > 0 ? `${kept}${ellipsis}` : ''
}

/** Adds spaces up to `width` columns: after the text, or before it for `right`. */
export function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + space : space + text
}

/** One column of a table. */
export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Whether cells may be truncated if the table is too wide. Default: `true` for left-aligned columns. */
  readonly shrinks?: boolean
  /** Whether cells that are too long wrap instead of being truncated. Default `false`. */
  readonly wraps?: boolean
}

export interface TableOptions {
  /** The width of the terminal in columns. */
  readonly width: number
  readonly indent?: string
  /** The end of a truncated cell. Default `…`. */
  readonly ellipsis?: string
}

const gap = '  '
const narrowestColumn = 10
const narrowestTable = 60

/**
 * Formats rows under column titles. If the table is wider than `width`, the widest columns that may shrink are
 * truncated or wrapped, down to ten columns. Below 60 columns, each row becomes lines of `title: cell`.
 */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const { width, indent = '', ellipsis } = options
  if (width < narrowestTable) return rows.map((row) => linesOfRow(columns, row, indent)).join('\n')
  const natural = columns.map(({ title }, at) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? '')), widthOf(title)),
  )
  const widths = shrunk(columns, natural, width - widthOf(indent))
  const line = (cells: readonly string[]) =>
    indent +
    columns
      .map(({ align }, at) => padded(fitted(cells[at] ?? '', widths[at] ?? 0, ellipsis), widths[at] ?? 0, align))
      .join(gap)
      .trimEnd()
  const lines = (row: readonly string[]) => {
    const cells = row.map((cell, at) => (columns[at]?.wraps === true ? wrapped(cell, widths[at] ?? 0) : [cell]))
    const height = Math.max(...cells.map(({ length }) => length))
    return Array.from({ length: height }, (_, index) => line(cells.map((cell) => cell[index] ?? '')))
  }
  return [line(columns.map(({ title }) => title)), ...rows.flatMap(lines)].join('\n')
}

/**
 * Wraps text at spaces to a number of columns. A longer word gets its own line.
 *
 * @example
 * wrapped('one two three', 7) // ['one two', 'three']
 */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

function shrunk(columns: readonly Column[], natural: readonly number[], available: number): readonly number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1) - available)
  while (excess > 0) {
    const widest = Math.max(0, ...widths.filter((_, at) => mayShrink(columns[at])))
    if (widest <= narrowestColumn) break
    const at = widths.findIndex((width, index) => width === widest && mayShrink(columns[index]))
    widths[at] = widest - 1
    excess -= 1
  }
  return widths
}

function mayShrink(column: Column | undefined): boolean {
  return column?.shrinks ?? column?.align !== 'right'
}

function linesOfRow(columns: readonly Column[], row: readonly string[], indent: string): string {
  return row
    .flatMap((cell, at) => {
      if (cell === '') return []
      return at === 0 ? [`${indent}${cell}`] : [`${indent}  ${columns[at]?.title}: ${cell}`]
    })
    .join('\n')
}
