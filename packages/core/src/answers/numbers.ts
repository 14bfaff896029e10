export interface WrittenNumber {
  /** The same for every spelling: `1,200` and `1.2e3` are both `12e2`. */
  readonly exact: string
  readonly value: number
}

/**
 * The allowed difference from the expected number: an amount, a share of the expected number, or the larger of both.
 */
export interface Tolerance {
  readonly absolute?: number
  readonly relative?: number
}

const scales: { readonly [word: string]: number } = { thousand: 3, million: 6, billion: 9, trillion: 12 }
const maxDigits = 400
/** A number is not preceded by a letter or digit. Its sign may precede a currency. */
const written =
  /(?<![\p{L}\p{N}_])(?<sign>[+-]\p{Sc}?)?(?<digits>\d(?:[\d.,'’\u00a0\u202f\u2009]*\d)?|[.,]\d+)(?:e(?<power>[+-]?\d+))?(?:[^\S\n]?(?<scale>thousand|million|billion|trillion)(?![\p{L}\p{N}]))?/giu
/** A suffix that changes the value: a superscript, a fraction, `^`, letters or a `_` before digits (`0x1F`). */
const changed = /[\p{N}^]|(?:\p{L}+|_)\d/uy

/**
 * Returns `undefined` for a part that begins like a number but is not one, such as `1.2.3` and `10²`. Digits may be in
 * groups of three. Units, currencies and percent signs are not part of a number, and a number directly after a letter
 * (`B12`) does not count.
 *
 * @param decimal the decimal separator; the other one of the two separates groups
 */
export function numbersIn(text: string, decimal: '.' | ','): readonly (WrittenNumber | undefined)[] {
  const plain = text
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
    .replace(/[\u2212\ufe63\uff0d]/g, '-')
    .replace(/[\uff10-\uff19]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0))
  return [...plain.matchAll(written)].map((found) => {
    changed.lastIndex = found.index + found[0].length
    return changed.test(plain) ? undefined : numberOf(found.groups ?? {}, decimal)
  })
}

function numberOf(
  { sign = '', digits = '', power = '0', scale }: { readonly [group: string]: string | undefined },
  decimal: '.' | ',',
): WrittenNumber | undefined {
  const plain = ungrouped(digits, decimal)
  const exponent = Number(power) + (scale === undefined ? 0 : (scales[scale.toLowerCase()] ?? 0))
  if (plain === undefined || plain.length > maxDigits || Math.abs(exponent) > maxDigits) return undefined
  const [whole = '', fraction = ''] = plain.split('.')
  return exactNumber(sign.startsWith('-'), whole + fraction, exponent - fraction.length)
}

const grouped = /^\d{1,3}(?:(?<mark>[.,'’\u00a0\u202f\u2009])\d{3})(?:\k<mark>\d{3})*$/u

/** `undefined` when the digits are not one number. */
function ungrouped(digits: string, decimal: '.' | ','): string | undefined {
  const at = digits.lastIndexOf(decimal)
  const whole = at < 0 ? digits : digits.slice(0, at)
  const fraction = at < 0 ? '' : digits.slice(at + 1)
  if (!/^\d*$/.test(fraction) || whole.includes(decimal)) return undefined
  if (!/^\d*$/.test(whole) && !grouped.test(whole)) return undefined
  return `${whole.replace(/\D/g, '')}.${fraction}`
}

/**
 * Removes zeros at both ends, so that equal numbers have equal strings, also those that are too long for a `number`.
 */
function exactNumber(isNegative: boolean, digits: string, exponent: number): WrittenNumber | undefined {
  const significant = digits.replace(/^0+/, '')
  const short = significant.replace(/0+$/, '')
  const sign = isNegative ? '-' : ''
  const exact = short === '' ? '0' : `${sign}${short}e${exponent + significant.length - short.length}`
  const value = Number(exact)
  return Number.isFinite(value) ? { exact, value } : undefined
}

/** Without a tolerance every digit counts. */
export function isClose(found: WrittenNumber, expected: WrittenNumber, tolerance: Tolerance): boolean {
  return found.exact === expected.exact || isCloseTo(found.value, expected.value, tolerance)
}

/** Allows for rounding of binary fractions: 1.1 is within 0.1 of 1. */
export function isCloseTo(found: number, expected: number, { absolute = 0, relative = 0 }: Tolerance): boolean {
  const allowed = Math.max(absolute, relative * Math.abs(expected))
  if (allowed === 0) return false
  return Math.abs(found - expected) <= allowed + Number.EPSILON * 2 * Math.max(Math.abs(found), Math.abs(expected))
}
