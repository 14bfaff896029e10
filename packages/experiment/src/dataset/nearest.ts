const farthest = 2

/**
 * The known names that `name` was probably meant to be, in the order of `known`: those with the fewest typing errors
 * (at most two insertions, deletions, replacements or swaps of neighbours), else the only one that begins with `name`.
 * Upper and lower case count as equal. At most three; `[]` when nothing is near.
 *
 * @example
 * nearestNames('add-redme', ['add-readme', 'fix-bugs']) // ['add-readme']
 */
export function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  const wanted = name.toLowerCase()
  const beginning: string[] = []
  let nearest: string[] = []
  let best = farthest
  for (const candidate of known) {
    const other = candidate.toLowerCase()
    if (wanted !== '' && other.startsWith(wanted)) beginning.push(candidate)
    if (Math.abs(other.length - wanted.length) > best) continue
    const distance = typingErrors(wanted, other)
    // As many errors as letters: nothing of the name is left.
    if (distance > best || distance >= Math.max(wanted.length, other.length)) continue
    nearest = distance < best ? [candidate] : [...nearest, candidate]
    best = distance
  }
  return (nearest.length > 0 ? nearest : beginning.length === 1 ? beginning : []).slice(0, 3)
}

/** The Damerau-Levenshtein distance in its restricted form: no part is changed twice. */
function typingErrors(a: string, b: string): number {
  let before: readonly number[] = []
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let errors = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) errors = Math.min(errors, (before[column - 2] ?? 0) + 1)
      current.push(errors)
    }
    before = above
    above = current
  }
  return above[b.length] ?? 0
}
