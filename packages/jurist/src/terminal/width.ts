const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const zero = /\p{Mn}|\p{Me}|\p{Cf}/u
const colours = /\u001b\[[\d;]*m/g

/** How many columns of a terminal a text takes; our own colours take none. */
export function widthOf(text: string): number {
  const plain = text.replace(colours, '')
  if (/^[\u0020-\u007e]*$/.test(plain)) return plain.length
  return [...plain].reduce((sum, character) => sum + columnsOf(character), 0)
}

function columnsOf(character: string): number {
  if (zero.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** The text cut to `width` columns, ending in `…` (or `~`) where something was cut. Give it no colours. */
export function fitted(text: string, width: number, ellipsis = '…'): string {
  if (widthOf(text) <= width) return text
  let taken = ''
  let columns = 0
  for (const character of text) {
    columns += columnsOf(character)
    if (columns > width - 1) break
    taken += character
  }
  return width > 0 ? `${taken}${ellipsis}` : ''
}

/** The text with spaces up to `width` columns: after it, or before it for `right`. */
export function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + space : space + text
}
