const worthCutting = 60
const kept = 15

/** Two texts that differ, cut so that the beginning of the difference is in sight. */
interface Excerpts {
  readonly expected?: string
  readonly found?: string
}

/**
 * Leaves out most of what two long tokens have in common at their beginning: a changed word in a long text would
 * otherwise be beyond what a message quotes.
 *
 * @example
 * excerpts('a', 'b') // { expected: 'a', found: 'b' }
 */
export function excerpts(expected: string | undefined, found: string | undefined): Excerpts {
  const cut = expected !== undefined && found !== undefined ? Math.max(0, commonLength(expected, found) - kept) : 0
  return {
    ...(expected === undefined ? {} : { expected: shortenedBy(expected, cut) }),
    ...(found === undefined ? {} : { found: shortenedBy(found, cut) }),
  }
}

function shortenedBy(text: string, cut: number): string {
  return cut > 1 ? `…${text.slice(cut)}` : text
}

function commonLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length)
  if (Math.max(one.length, other.length) <= worthCutting) return 0
  let length = 0
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
