import { stripVTControlCharacters } from 'node:util'

const maxLength = 200
// Control characters, marks that change the direction of writing, halves of surrogate pairs.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/gu

/** How a line begins that names an error: `TypeError: …`, `java.io.IOException: …`, `error[E0425]: …`, `fatal: …`. */
const namesAnError = /^(?:[\w.$]*(?:Error|Exception)|[Ee]rror|ERROR|[Ff]atal|FATAL|panic)\b/

/**
 * The line of an output that tells most, as it may stand in a sentence: the first that names an error, for before it stands
 * where it was thrown, else the first that says something. At most 200 characters, without whatever a terminal would obey.
 * Empty for an output without any.
 *
 * @example
 * tellingLine('\n\u001b[31mno such file\u001b[0m\nat 3') // 'no such file'
 * tellingLine('main.js:1\n  x()\n  ^\n\nTypeError: x is no function') // 'TypeError: x is no function'
 */
export function tellingLine(output: string): string {
  let first = ''
  for (const line of output.split(/\r?\n/)) {
    const text = stripVTControlCharacters(line).replace(unprintable, '').trim()
    if (namesAnError.test(text)) return shortened(text)
    if (first === '') first = text
  }
  return shortened(first)
}

function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}
