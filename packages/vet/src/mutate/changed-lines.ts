import { lineDiff } from '@jurist/kit/text-diff'
import type { Span } from './language/construct.js'
import { lineFinder } from './mutants.js'

/** Where a mutant is: in a line that the reference changed, in a function with such a line, or elsewhere in the file. */
export type Closeness = 'changed' | 'function' | 'rest'

/** A function that says how close an offset of the reference's source is to what the reference changed. */
export function closenessOf(
  before: string | null,
  source: string,
  functions: readonly Span[],
): (span: Span) => Closeness {
  if (before === null) return () => 'changed'
  const lines = changedLines(before.split('\n'), source.split('\n'))
  const lineOf = lineFinder(source)
  const isChanged = ({ start, end }: Span) => {
    for (let line = lineOf(start); line <= lineOf(end); line++) if (lines.has(line)) return true
    return false
  }
  const around = functions.filter(isChanged)
  // The innermost ones: a module that is one function would be close as a whole.
  const close = around.filter((one) => !around.some((other) => other !== one && holds(one, other)))
  return (span) =>
    lines.has(lineOf(span.start)) ? 'changed' : close.some((one) => holds(one, span)) ? 'function' : 'rest'
}

function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end
}

/** The lines that are new, counted from 1, and those that come after removed ones. */
function changedLines(before: readonly string[], after: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  let isAfterRemoval = false
  for (const line of lineDiff(before, after)) {
    if (line.kind === 'added' || (isAfterRemoval && line.kind === 'same')) found.add(line.after ?? 0)
    isAfterRemoval = line.kind === 'removed'
  }
  return found
}
