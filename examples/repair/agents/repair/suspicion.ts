import type { Statement } from './statements.js'
import type { Node, Source } from './syntax.js'
import { rangeOf } from './syntax.js'

/** Which statements each test reached, by number, and how the tests ended. */
export interface Spectrum {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  readonly hits: Readonly<Record<string, readonly number[]>>
}

/**
 * How suspicious each statement is, from 0 to 1: Ochiai's coefficient, the best of the plain formulas of
 * spectrum-based fault localisation in R. Abreu, P. Zoeteweij, A. van Gemund, "On the Accuracy of Spectrum-based
 * Fault Localization", TAICPART 2007.
 *
 * With f and p the failed and the passed tests that reach a statement, and F all failed tests: f / √(F · (f + p)).
 * What runs while the program loads counts as reached by every test.
 */
export function suspicions(count: number, { passed, failed, hits }: Spectrum): readonly number[] {
  const reached = (test: string, statement: number): boolean =>
    hits[test]?.includes(statement) === true || hits['load']?.includes(statement) === true
  return Array.from({ length: count }, (_, statement) => {
    const f = failed.filter((test) => reached(test, statement)).length
    const p = passed.filter((test) => reached(test, statement)).length
    return f === 0 ? 0 : f / Math.sqrt(failed.length * (f + p))
  })
}

/** What is no part of a statement that is counted, such as the default of a parameter, is a little suspicious. */
const uncounted = 0.2

/** The suspicion of a node: that of the innermost statement that holds it. */
export function suspicionOf(
  { path }: Source,
  node: Node,
  statements: readonly Statement[],
  suspicion: readonly number[],
): number {
  const { start, end } = rangeOf(node)
  let innermost = -1
  for (const [index, statement] of statements.entries()) {
    const holds = statement.path === path && statement.start <= start && end <= statement.end
    const inner = statements[innermost]
    if (holds && (inner === undefined || statement.end - statement.start <= inner.end - inner.start)) innermost = index
  }
  return suspicion[innermost] ?? uncounted
}
