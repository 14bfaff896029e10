import { stripVTControlCharacters } from 'node:util'

const maxLength = 200
// Control characters, marks that change the direction of writing, halves of surrogate pairs.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu

/**
 * The first line of an output that says something, as it may stand in a sentence: at most 200 characters, without
 * whatever a terminal would obey. Empty for an output without any.
 *
 * @example
 * firstLine('\n\u001b[31mno such file\u001b[0m\nat 3') // 'no such file'
 */
export function firstLine(output: string): string {
  for (const line of output.split(/\r?\n/)) {
    const text = stripVTControlCharacters(line).replace(unprintable, '').trim()
    if (text !== '') return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
  }
  return ''
}
