import type { Json } from '@jurist/core'
import { parseOrUndefined } from '@jurist/kit/json'

/** What Python writes for numbers that JSON does not have. */
const notJson = /(?:-?Infinity|NaN)/g

/**
 * The value of a JSON text as Python writes it, where `NaN` and `Infinity` are numbers: they become `null`. NUL, which no
 * database takes, becomes U+FFFD. `undefined`: it is not JSON.
 */
export function parsePythonJson(text: string): Json | undefined {
  const plain = text.includes('\\u0000') ? text.replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd') : text
  return (parseOrUndefined(plain) ?? parseOrUndefined(withoutNotNumbers(plain))) as Json | undefined
}

/** The text with `null` for numbers that are none, strings left as they are. */
function withoutNotNumbers(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf('"', at)
    const end = start === -1 ? text.length : start
    parts.push(text.slice(at, end).replace(notJson, 'null'))
    at = start === -1 ? end : endOfString(text, start)
    parts.push(text.slice(end, at))
  }
  return parts.join('')
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return at + 1
  }
  return text.length
}
