const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * The one text of a decimal number's exact value: `1`, `1.0` and `10e-1` are `1e0`. Nothing is rounded.
 *
 * @example
 * exactNumber('9007199254740993') // '9007199254740993e0'
 */
export function exactNumber(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(source) ?? []
  const digits = whole + fraction
  let start = 0
  while (start < digits.length && digits[start] === '0') start++
  let end = digits.length
  while (end > start && digits[end - 1] === '0') end--
  if (start === end) return '0'
  const shift = digits.length - end - fraction.length
  return `${sign}${digits.slice(start, end)}e${sum(exponent, shift)}`
}

/** The exponent plus the shift. A huge exponent is kept as it is written: BigInt would take its time over it. */
function sum(exponent: string, shift: number): string {
  if (exponent.length <= 15) return String(Number(exponent) + shift)
  return exponent.length <= 1_000 ? String(BigInt(exponent.replace('+', '')) + BigInt(shift)) : `${exponent}+${shift}`
}
