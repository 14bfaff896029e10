/** The maximum number of typing errors between two names. */
const maxTypingErrors = 2

/**
 * Returns the known names that `name` probably stands for, in the order of `known`: those with the fewest typing errors
 * (at most two insertions, deletions, replacements or swaps of neighbours), otherwise the only one that begins with
 * `name`. Ignores case. At most three; `[]` if no name is close.
 */
export function nearestNames(name: string, known: Iterable<string>): readonly string[] {
  const wanted = name.toLowerCase()
  const beginning: string[] = []
  let nearest: string[] = []
  let best = maxTypingErrors
  for (const candidate of known) {
    const other = candidate.toLowerCase()
    if (wanted !== '' && other.startsWith(wanted)) beginning.push(candidate)
    if (Math.abs(other.length - wanted.length) > best) continue
    const distance = typingErrors(wanted, other)
    // If there are as many errors as letters, nothing of the name is left.
    if (distance > best || distance >= Math.max(wanted.length, other.length)) continue
    nearest = distance < best ? [candidate] : [...nearest, candidate]
    best = distance
  }
  return (nearest.length > 0 ? nearest : beginning.length === 1 ? beginning : []).slice(0, 3)
}

/** The restricted Damerau-Levenshtein distance, which changes no substring twice. */
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

/** Proposes the names that an unknown name probably stands for, or all names. */
export function nearestOrAll(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known)
  if (near.length > 0) return `Did you mean ${near.map((one) => JSON.stringify(one)).join(' or ')}?`
  return `Available: ${known.join(', ')}.`
}

/** Returns ` Did you mean "run"?` if the name is close to a known one, otherwise an empty string. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestNames(name, known)
  return nearest.length === 0 ? '' : ` Did you mean ${nearest.map((one) => `"${one}"`).join(' or ')}?`
}
