/** A header that carries a key, as messages quote it: its name, what stands between, a scheme, the value. */
const headers =
  /\b((?:proxy-)?authorization|(?:[\w-]{1,40}-)?(?:api[-_]?key|(?:auth|access)[-_]token))(["']?\s*[:=]\s*["']?)(?:(?:basic|bearer|token|digest)\s+)?([^\s"',;]{8,})/gi
const schemes = /\b(?:basic|bearer)\s+([\w.~+/=-]{8,})/gi
/** Keys that services mark as theirs, and tokens in three parts. */
const marked = /\b(?:(?:sk|pk|rk|gsk|xai)[-_]([\w-]{8,})|gh[a-z]_\w{8,}|AIza[\w-]{8,}|eyJ[\w-]{6,}(?:\.[\w-]+)*)/g

/**
 * A message without what looks like a key: services quote the key that they were given, and where a framework holds it
 * nobody here knows it. Ordinary words stay.
 *
 * @example
 * withoutKeys('Incorrect API key provided: sk-proj-12345678') // 'Incorrect API key provided: ***'
 */
export function withoutKeys(text: string): string {
  return text
    .replaceAll(headers, (whole, name: string, between: string, value: string) =>
      isPlausible(value, longWord) ? `${name}${between}***` : whole,
    )
    .replaceAll(schemes, (whole, value: string) => (isPlausible(value, longWord) ? '***' : whole))
    .replaceAll(marked, (whole, rest: string | undefined) =>
      rest === undefined || isPlausible(rest, longRest) ? '***' : whole,
    )
}

/** No word is as long. */
const longWord = 24
/** What follows a mark such as `sk-` is hardly a word any more. */
const longRest = 12

/** Whether a text may be a key: words have no digits, and no capitals but the first. */
function isPlausible(text: string, long: number): boolean {
  return text.length >= long || /\d/.test(text) || /[a-z].*[A-Z]/.test(text)
}
