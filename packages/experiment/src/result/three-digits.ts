import { grouped, rounded, score, unknown } from './amounts.js'

/**
 * Formats a number with three significant digits. Rounding never turns a number below 1 into `1.00`, or one other than 0 into
 * `0.00`; amounts below 1e-9 are rounding errors of binary fractions and count as 0.
 *
 * @example
 * threeDigits(2 / 3) // '0.667'
 * threeDigits(0.01234) // '0.0123'
 * threeDigits(123.4) // '123'
 */
export function threeDigits(value: number | null | undefined, none: string = unknown): string {
  if (value === null || value === undefined) return none
  const amount = Math.abs(value)
  if (amount < 1e-9) return '0.00'
  if (amount >= 999.5) return grouped(value)
  const places = Math.max(0, 2 - Math.floor(Math.log10(amount)))
  const isCarried = Number(rounded(amount, places)) >= 10 ** (3 - places)
  const text = rounded(amount, isCarried ? places - 1 : places)
  if (amount < 1 && Number(text) === 1) return score(value)
  return value < 0 ? `-${text}` : text
}
