import type { Json } from '@jurist/core'

/** What stands in a text for the middle that was left out. */
export const leftOut: RegExp = /(… \d+ characters …)/

/**
 * A text of at most about `most` characters: a longer one keeps both ends, with the number of characters left out
 * between them. No surrogate pair is cut in two.
 *
 * @example
 * withoutMiddle('abcdefghij', 4) // 'ab… 6 characters …ij'
 */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const head = text.slice(0, isHigh(text.charCodeAt(half - 1)) ? half - 1 : half)
  const tail = text.slice(isHigh(text.charCodeAt(text.length - half - 1)) ? text.length - half + 1 : -half)
  return `${head}… ${text.length - head.length - tail.length} characters …${tail}`
}

/** A value as it is while its JSON text has at most `most` characters; else both ends of that text. */
export function withinText(value: Json, most: number): Json {
  if (typeof value === 'string') return withoutMiddle(value, most)
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  return text.length <= most ? value : withoutMiddle(text, most)
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
