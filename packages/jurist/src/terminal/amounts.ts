import type { Interval } from '@jurist/experiment/result'

/** A whole number with `,` between thousands, in every locale. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** A rate within [0, 1] as `72.7 %`; `–` when there is none. */
export function percent(rate: number | null, none = '–'): string {
  return rate === null ? none : `${(rate * 100).toFixed(1)} %`
}

/** An interval of rates as `21.0 to 100.0`. */
export function interval({ low, high }: Interval): string {
  return `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)}`
}

/** US dollars with cents, `$1,204.50`; less than a cent with two digits that count, `$0.0012`; `–` when unknown. */
export function dollars(usd: number | null, none = '–'): string {
  if (usd === null) return none
  if (usd > 0 && usd < 0.00995) return `$${usd.toFixed(1 - Math.floor(Math.log10(usd))).replace(/0+$/, '')}`
  const [whole = '0', cents = '00'] = usd.toFixed(2).split('.')
  return `$${grouped(Number(whole))}.${cents}`
}

/** Milliseconds as `14.2s` below a minute, else `2m 10s`, `1h 02m`. */
export function duration(ms: number): string {
  const seconds = ms / 1000
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`
  const whole = Math.round(seconds)
  const two = (value: number) => String(value).padStart(2, '0')
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`
  return `${grouped(Math.floor(whole / 3600))}h ${two(Math.floor((whole % 3600) / 60))}m`
}

/** `1 trial`, `3 trials`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`
}
