/** `–` for what is not known. */
export const unknown = '–'

/** `72.7 %` of a rate. */
export function percent(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? unknown : `${(rate * 100).toFixed(1)} %`
}

/** `$0.84`; small amounts with more digits. */
export function dollars(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return unknown
  return `$${amount === 0 || amount >= 0.1 ? amount.toFixed(2) : amount.toPrecision(2)}`
}

/** `1,204,331`. */
export function count(number: number | null | undefined): string {
  return number === null || number === undefined ? unknown : number.toLocaleString('en-US')
}

/** `0.93`. */
export function score(value: number | null | undefined): string {
  return value === null || value === undefined ? unknown : value.toFixed(2)
}

/** `820 ms`, `14.2 s`, `2m 10s`, `1h 05m`. */
export function duration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return unknown
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(seconds % 60)}s`
}

/** `21 Nov 2026, 09:15` in the reader's own time. */
export function instant(iso: string | null): string {
  if (iso === null) return unknown
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  return date.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
