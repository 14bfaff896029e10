const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const zero = /\p{Mn}|\p{Me}|\p{Cf}/u
const colours = /\u001b\[[\d;]*m/g

/** How many columns of a terminal a text takes; colours take none. */
export function widthOf(text: string): number {
  const plain = text.replace(colours, '')
  if (/^[\u0020-\u007e]*$/.test(plain)) return plain.length
  return [...plain].reduce((sum, character) => sum + columnsOf(character), 0)
}

function columnsOf(character: string): number {
  if (zero.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** The text cut to so many columns, ending in `…` where something was cut; what is cut loses its colours. */
export function cut(text: string, width: number): string {
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
export function padded(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'left' ? text + space : space + text
}
