import type { Interval } from './summary.js'

/** Shown instead of a number that is unknown. */
export const unknown = '–'

/** A number that may be unknown. */
export type Amount = number | null | undefined

/** A whole number with `,` between thousands, in every locale. */
export function grouped(value: Amount, none: string = unknown): string {
  return isUnknown(value) ? none : unsigned(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ','))
}

/**
 * A rate within [0, 1]. Only a rate of exactly 1 is `100.0 %`, and only one of exactly 0 is `0.0 %`.
 *
 * @example
 * import { percent } from '@jurist/experiment/result'
 *
 * percent(8 / 11) // '72.7 %'
 * percent(19999 / 20000) // '> 99.9 %'
 */
export function percent(rate: Amount, none: string = unknown): string {
  if (isUnknown(rate)) return none
  const text = tenths(rate * 100)
  if (text === '100.0' && rate < 1) return '> 99.9 %'
  return text === '0.0' && rate > 0 ? '< 0.1 %' : `${text} %`
}

/** A difference of two rates in percentage points. */
export function points(delta: Amount, none: string = unknown): string {
  return isUnknown(delta) ? none : signed(delta * 100, tenths)
}

/**
 * The bounds of an interval of rates. Only a low bound of exactly 1 is `100.0`, and only a high bound of exactly 0 is `0.0`:
 * another one is at most `99.9`, or at least `0.1`, so that an interval never looks certain when it is not.
 */
export function rateInterval(bounds: Pick<Interval, 'low' | 'high'>): string {
  return `${rateBounds(bounds)} %`
}

/** The bounds as in `rateInterval`, without a percent sign, for columns of percentages. */
export function rateBounds({ low, high }: Pick<Interval, 'low' | 'high'>): string {
  const lowest = low < 1 ? Math.min(low, 0.999) : low
  const highest = high > 0 ? Math.max(high, 0.001) : high
  return `${tenths(lowest * 100)} to ${tenths(highest * 100)}`
}

/** An interval of rates with its level and its method, as two methods give two intervals of one rate. */
export function namedInterval(interval: Interval): string {
  return `${levelText(interval)}: ${rateInterval(interval)}, ${methodName(interval)}`
}

export function levelText({ level }: Pick<Interval, 'level'>): string {
  return `${Number((level * 100).toFixed(2))} %`
}

const methods: { readonly [method: string]: string } = {
  __proto__: null as never,
  wilson: 'Wilson',
  'wilson-by-item': 'Wilson by item',
  'wilson-effective': 'Wilson, clustered',
  'bootstrap-widened': 'bootstrap',
  'bootstrap-bayesian': 'Bayesian bootstrap',
  'clustered-t': 'clustered by item',
  sequential: 'stopped early',
}

/** The method of an interval in words. */
export function methodName({ method }: Pick<Interval, 'method'>): string {
  return methods[method] ?? method
}

/**
 * US dollars: with cents, and below ten cents with two digits that count.
 *
 * @example
 * import { dollars } from '@jurist/experiment/result'
 *
 * dollars(1204.5) // '$1,204.50'
 * dollars(0.0123) // '$0.012'
 */
export function dollars(usd: Amount, none: string = unknown): string {
  if (isUnknown(usd)) return none
  const amount = Math.abs(usd)
  const sign = usd < 0 ? '-' : ''
  if (amount > 0 && amount < 0.0995) {
    const places = Math.min(20, 1 - Math.floor(Math.log10(amount)))
    return `${sign}$${amount.toFixed(places).replace(/(\.\d\d.*?)0+$/, '$1')}`
  }
  const [whole = '0', cents = '00'] = amount.toFixed(2).split('.')
  return `${sign}$${grouped(Number(whole))}.${cents}`
}

/**
 * Milliseconds as a length of time.
 *
 * @example
 * import { duration } from '@jurist/experiment/result'
 *
 * duration(820) // '820 ms'
 * duration(14_200) // '14.2 s'
 * duration(130_000) // '2m 10s'
 * duration(3_900_000) // '1h 05m'
 */
export function duration(ms: Amount, none: string = unknown): string {
  if (isUnknown(ms)) return none
  const amount = Math.abs(ms)
  const sign = ms < 0 && Math.round(amount) > 0 ? '-' : ''
  if (amount < 999.5) return `${sign}${Math.round(amount)} ms`
  if (amount < 59_950) return `${sign}${(amount / 1_000).toFixed(1)} s`
  const seconds = Math.round(amount / 1_000)
  if (seconds < 3_600) return `${sign}${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`
  return `${sign}${grouped(Math.floor(seconds / 3_600))}h ${two(Math.floor((seconds % 3_600) / 60))}m`
}

/**
 * A score with two decimals. A score below 1 is never shown as `1.00`, and one above 0 never as `0.00`: further decimals
 * are added.
 *
 * @example
 * import { score } from '@jurist/experiment/result'
 *
 * score(2 / 3) // '0.67'
 * score(0.9962) // '0.996'
 */
export function score(value: Amount, none: string = unknown): string {
  if (isUnknown(value)) return none
  for (let digits = 2; digits <= 6; digits++) {
    const text = rounded(value, digits)
    if ((Number(text) !== 1 || value === 1) && (Number(text) !== 0 || value === 0)) return text
  }
  return String(value)
}

/** A measure of agreement, an advantage, an error: a number with three decimals. */
export function three(value: Amount, none: string = unknown): string {
  return isUnknown(value) ? none : rounded(value, 3)
}

/** A p value, never as 0. */
export function pValue(value: Amount, none: string = unknown): string {
  if (isUnknown(value)) return none
  return value < 0.001 ? '< 0.001' : value.toFixed(3)
}

/**
 * A p value with its letter.
 *
 * @example
 * import { pEquals } from '@jurist/experiment/result'
 *
 * pEquals(5e-25) // 'p < 0.001'
 */
export function pEquals(value: Amount): string {
  const text = pValue(value)
  return text.startsWith('<') ? `p ${text}` : `p = ${text}`
}

/** A difference with its sign, which is omitted if the difference rounds to zero. */
export function signed(value: Amount, show: (value: number) => string = twoDecimals, none: string = unknown): string {
  if (isUnknown(value)) return none
  const text = show(Math.abs(value))
  if (!/[1-9]/.test(text)) return text
  return `${value > 0 ? '+' : '-'}${text}`
}

export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`
}

function isUnknown(value: Amount): value is null | undefined {
  return value === null || value === undefined
}

function tenths(value: number): string {
  return rounded(value, 1)
}

function twoDecimals(value: number): string {
  return rounded(value, 2)
}

/** Rounds 0.495 to 0.50, as reasons of votes do; `toFixed` alone gives 0.49. */
export function rounded(value: number, digits: number): string {
  const shifted = Math.round(Math.abs(value) * 10 ** digits) / 10 ** digits
  return unsigned(`${value < 0 ? '-' : ''}${shifted.toFixed(digits)}`)
}

/** Removes the minus sign of a number that rounds to zero. */
function unsigned(text: string): string {
  return text.startsWith('-') && !/[1-9]/.test(text) ? text.slice(1) : text
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
