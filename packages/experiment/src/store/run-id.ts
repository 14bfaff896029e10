const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const shape = /^\d{8}T\d{9}Z-[0-9a-hjkmnp-tv-z]{6}$/

/**
 * Whether something can name a run: see `newRunId`. Nothing else is ever made part of a path.
 *
 * @example
 * isRunId('latest') // false
 */
export function isRunId(id: unknown): boolean {
  return typeof id === 'string' && shape.test(id)
}

/**
 * The id of a new run: the instant, and six characters from a secure source. Ids sort by time.
 *
 * @example
 * newRunId() // '20261121T091500123Z-4kq7rm'
 */
export function newRunId(at: Date = new Date()): string {
  const instant = at.toISOString().replaceAll(/[-:.]/g, '')
  // 32 letters: the low five bits of a random byte choose each of them equally often.
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => alphabet[byte & 31])
  return `${instant}-${letters.join('')}`
}
