/**
 * A part of a list that still has a property and of which no single part can be left out: the algorithm `ddmin` of Zeller and
 * Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on Software Engineering 28(2), 2002. Whole lists
 * are tried first: without any part, then halves, quarters and so on.
 *
 * @param least how many parts must be left, 0 or 1. Default 0
 * @param holds whether the property holds for a part of the list; never called for the whole list
 * @param mayGoOn `false` ends it with what was found so far
 */
export async function ddmin<Part>(
  parts: readonly Part[],
  holds: (kept: readonly Part[]) => Promise<boolean>,
  mayGoOn: () => boolean,
  least: 0 | 1 = 0,
): Promise<readonly Part[]> {
  if (parts.length === 0 || !mayGoOn()) return parts
  if (least === 0 && (await holds([]))) return []
  let kept = parts
  let pieces = 2
  while (kept.length >= 2 && mayGoOn()) {
    const size = Math.ceil(kept.length / pieces)
    const starts = Array.from({ length: Math.ceil(kept.length / size) }, (_, index) => index * size)
    let found: readonly Part[] | undefined
    for (const start of starts) {
      if (!mayGoOn()) return kept
      const rest = [...kept.slice(0, start), ...kept.slice(start + size)]
      if (rest.length > 0 && (await holds(rest))) {
        found = rest
        break
      }
    }
    if (found !== undefined) {
      kept = found
      pieces = Math.max(2, pieces - 1)
    } else if (size === 1) return kept
    else pieces = Math.min(kept.length, pieces * 2)
  }
  return kept
}
