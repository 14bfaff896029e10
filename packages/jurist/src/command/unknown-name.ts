import { nearestNames } from '@jurist/experiment/dataset'

const mostListed = 20

/** ` Did you mean "run"?` for a name that is nearly a known one, else nothing. */
export function unknownName(name: string, known: readonly string[]): string {
  const nearest = nearestNames(name, known)
  return nearest.length === 0 ? '' : ` Did you mean ${nearest.map((one) => `"${one}"`).join(' or ')}?`
}

/** As `unknownName`, followed by the whole list when it is short. */
export function unknownAmong(name: string, known: readonly string[], whole = 'It has'): string {
  const list = known.length === 0 ? ` ${whole}: none.` : ` ${whole}: ${known.join(', ')}.`
  return `${unknownName(name, known)}${known.length > mostListed ? '' : list}`
}
