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

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const zero = /\p{Mn}|\p{Me}|\p{Cf}/u
const colours = /\u001b\[[\d;]*m/g

/** How many columns of a terminal a text takes; colours take none. */
function widthOf(text: string): number {
  const plain = text.replace(colours, '')
  if (/^[\u0020-\u007e]*$/.test(plain)) return plain.length
  return [...plain].reduce((sum, character) => sum + columnsOf(character), 0)
}

function columnsOf(character: string): number {
  if (zero.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** The text cut to so many columns, ending in `…` where something was cut; what is cut loses its colours. */
function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let taken = ''
  let columns = 1
  for (const character of text.replace(colours, '')) {
    columns += columnsOf(character)
    if (columns > width) break
    taken += character
  }
  return width > 0 ? `${taken}…` : ''
}

/** The text with spaces up to `width` columns: after it, or before it for `right`. */
function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + space : space + text
}

/** Styles of a terminal, or the text as it is. Colour never carries meaning alone. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

/** The styles of a terminal that shows them, or of one that does not. */
export function paintWith(color: boolean): Paint {
  const style = (on: number, off: number) => (text: string) =>
    color && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
  }
}
