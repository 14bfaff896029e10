import { unknown } from '@jurist/experiment/result'

export {
  counted,
  dollars,
  duration,
  grouped as count,
  judgmentScore,
  levelText,
  namedInterval,
  pEquals,
  percent,
  points,
  pValue,
  score,
  signed,
  threeDigits,
  unknown,
} from '@jurist/experiment/result'

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
