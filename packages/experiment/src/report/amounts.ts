import type { Interval } from '../result/summary.js'

/** What stands where nothing is known. */
export const unknown = '–'

/** A whole number with `,` between thousands, in every locale. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** A rate within [0, 1] as `72.7 %`. */
export function percent(rate: number | null): string {
  return rate === null ? unknown : `${(rate * 100).toFixed(1)} %`
}

/** An interval of rates as `21.0 to 100.0 %`. */
export function rateInterval({ low, high }: Interval): string {
  return `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)} %`
}

/** US dollars: with cents, or as many places as an amount below one cent needs. */
export function dollars(usd: number | null): string {
  if (usd === null) return unknown
  const sign = usd < 0 ? '-' : ''
  const amount = Math.abs(usd)
  if (amount > 0 && amount < 0.01) return `${sign}$${Number(amount.toPrecision(2))}`
  const [whole = '0', cents = '00'] = amount.toFixed(2).split('.')
  return `${sign}$${grouped(Number(whole))}.${cents}`
}

/** Milliseconds as `14.2 s` below a minute, else `2 min 10 s`, `1 h 02 min`. */
export function duration(ms: number | null): string {
  if (ms === null) return unknown
  const seconds = ms / 1000
  if (Math.abs(seconds) < 59.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(Math.abs(seconds))
  const sign = ms < 0 ? '-' : ''
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 3600) return `${sign}${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  return `${sign}${grouped(Math.floor(whole / 3600))} h ${two(Math.floor((whole % 3600) / 60))} min`
}

/** A score as `0.75`. */
export function score(value: number | null | undefined): string {
  return value === null || value === undefined ? unknown : value.toFixed(2)
}

/** A difference as `+0.12`, `-0.12` or `0.00`. */
export function signed(value: number | null, show: (value: number) => string = (amount) => amount.toFixed(2)): string {
  if (value === null) return unknown
  return value > 0 ? `+${show(value)}` : show(value === 0 ? 0 : value)
}

/** `1 trial`, `3 trials`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${count === 1 ? noun : `${noun}s`}`
}
