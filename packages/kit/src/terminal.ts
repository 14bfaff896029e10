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

/**
 * Shortens a string to at most `width` columns, after a word unless it is one long word. It then ends in `ellipsis` and
 * loses its styles.
 */
export function fitted(text: string, width: number, ellipsis = '…'): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let columns = widthOf(ellipsis)
  for (const character of text.replace(escapeSequences, '')) {
    columns += columnsOf(character)
    if (columns > width)
      return width > 0 ? `${character === ' ' ? kept : kept.replace(/(?<=\S )\S*$/, '')}${ellipsis}` : ''
    kept += character
  }
  return kept
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
  /** Whether cells wrap if the table is too wide. Titles always do. Default: `true` for left-aligned columns. */
  readonly shrinks?: boolean
  /** Whether the column is left out if the table is too wide otherwise: the one with the highest number first. */
  readonly drops?: number
}

/** A right-aligned column, see `drops`. */
export function right(title: string, drops = 0): Column {
  return { title, align: 'right', drops }
}

export interface TableOptions {
  /** The width of the terminal in columns. */
  readonly width: number
  readonly indent?: string
  /** The mark in a shortened cell. Default `…`. */
  readonly ellipsis?: string
  /** Formats the line after a table without some columns. Default: a line with their titles. */
  readonly hint?: (dropped: readonly string[]) => string
}

const gap = '  '
const narrowestColumn = 10

/**
 * Formats rows under column titles. If the table is wider than `width`, cells wrap at spaces, then columns that may be
 * dropped are left out, then long words are shortened in the middle, down to ten columns. If it is still too wide, each
 * row becomes lines of `title: cell`.
 */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const { width, indent = '', ellipsis = '…', hint = (dropped) => `Too narrow for: ${dropped.join(', ')}` } = options
  const widest = (at: number, measure: (cell: string) => number) =>
    rows.reduce((most, row) => Math.max(most, measure(row[at] ?? '')), 0)
  const sizes = columns.map((column, at) => {
    const [cells, title] = [widest(at, widthOf), widthOf(column.title)]
    const words = Math.max(mayShrink(column) ? widest(at, longestWord) : cells, longestWord(column.title))
    return { natural: Math.max(cells, title), words, least: mayShrink(column) ? narrowestColumn : words }
  })
  let shown = columns.map((_, at) => at)
  const narrowed = (floor: 'words' | 'least') =>
    shrunk(
      shown.flatMap((at) => sizes[at] ?? []).map((size) => [size.natural, size[floor]]),
      width - widthOf(indent),
    )
  let widths = narrowed('words')
  while (widths === undefined) {
    const last = Math.max(...shown.map((at) => columns[at]?.drops ?? 0))
    if (last === 0) break
    shown = shown.filter((at) => columns[at]?.drops !== last)
    widths = narrowed('words')
  }
  widths ??= narrowed('least')
  if (widths === undefined) return rows.map((row) => linesOfRow(columns, row, indent)).join('\n')
  const fits = widths
  const lines = (row: readonly string[]) => {
    const cells = shown.map((at, place) =>
      wrapped(row[at] ?? '', fits[place] ?? 0).map((part) =>
        padded(shortened(part, fits[place] ?? 0, ellipsis), fits[place] ?? 0, columns[at]?.align),
      ),
    )
    return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, index) =>
      `${indent}${cells.map((cell, place) => cell[index] ?? ' '.repeat(fits[place] ?? 0)).join(gap)}`.trimEnd(),
    )
  }
  const dropped = columns.flatMap(({ title }, at) => (shown.includes(at) ? [] : [title]))
  return [
    ...[columns.map(({ title }) => title), ...rows].flatMap(lines),
    ...(dropped.length === 0 ? [] : [`${indent}${hint(dropped)}`]),
  ].join('\n')
}

function longestWord(text: string): number {
  return Math.max(...text.split(' ').map(widthOf))
}

/** Shortens a word in the middle, where names that begin alike and end apart tell least. */
function shortened(word: string, width: number, ellipsis: string): string {
  if (widthOf(word) <= width) return word
  const characters = [...word.replace(escapeSequences, '')]
  const kept: [string[], string[]] = [[], []]
  let room = width - widthOf(ellipsis)
  for (let side: 0 | 1 = 0; ; side = side === 0 ? 1 : 0) {
    const next = side === 0 ? characters.shift() : characters.pop()
    if (next === undefined || columnsOf(next) > room) break
    room -= columnsOf(next)
    kept[side].push(next)
  }
  return `${kept[0].join('')}${ellipsis}${kept[1].reverse().join('')}`
}

/**
 * Wraps text at spaces to a number of columns. A longer word gets its own line.
 *
 * @param indent the beginning of all lines but the first
 * @example
 * wrapped('one two three', 7) // ['one two', 'three']
 */
export function wrapped(text: string, width: number, indent = ''): readonly string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  for (const part of text.match(/ *[^ ]+(?: %[^ \w]*(?= |$))?/g) ?? []) {
    const longer = `${lines.at(-1) ?? ''}${part}`
    if (lines.length === 0 || widthOf(longer) <= width) lines[Math.max(0, lines.length - 1)] = longer
    else lines.push(`${indent}${part.trimStart()}`)
  }
  return lines.length === 0 ? [''] : lines
}

/** Wraps each line of a text. Further lines begin under the text after the label of the first one. */
export function wrappedLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapped(line, width, ' '.repeat(hangOf(line, width))))
    .join('\n')
}

/** A label is at most two words before two spaces, such as the name of a figure. */
function hangOf(line: string, width: number): number {
  const plain = line.replace(escapeSequences, '')
  const label = widthOf(/^ *\S+(?: \S+)? {2,}/.exec(plain)?.[0] ?? '')
  if (label > 0 && label <= width / 3) return label
  const indent = plain.length - plain.trimStart().length
  return indent === 0 || indent > width / 3 ? Math.min(indent, width / 2) : Math.min(indent + 4, width / 3)
}

/** Narrows the widest columns down to their floors; `undefined` if this is not enough. */
function shrunk(
  columns: readonly (readonly [natural: number, floor: number])[],
  available: number,
): readonly number[] | undefined {
  const widths = columns.map(([natural]) => natural)
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1) - available)
  for (; excess > 0; excess -= 1) {
    const widest = Math.max(0, ...widths.filter((width, at) => width > (columns[at]?.[1] ?? 0)))
    if (widest === 0) return undefined
    widths[widths.findIndex((width, at) => width === widest && width > (columns[at]?.[1] ?? 0))] = widest - 1
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
