const shownLength = 78
const lead = 20

/**
 * The parts of two texts around their first difference, short enough to be quoted whole.
 *
 * @example
 * excerpts(`${'a'.repeat(100)}b`, `${'a'.repeat(100)}c`) // ['…aaaaaaaaaaaaaaaaaaaab', '…aaaaaaaaaaaaaaaaaaaac']
 */
export function excerpts(expected: string, found: string): readonly [string, string] {
  if (expected.length <= shownLength && found.length <= shownLength) return [expected, found]
  const start = Math.max(0, firstDifference(expected, found) - lead)
  return [excerpt(expected, start), excerpt(found, start)]
}

function excerpt(text: string, start: number): string {
  const end = start + shownLength - 1
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

function firstDifference(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) if (one.charCodeAt(index) !== other.charCodeAt(index)) return index
  return length
}
