import { type Finding, outOfTime, type Sources } from '../../comparator.js'
import { declarationFinding } from '../compare-declarations.js'
import { problemNotes, tokenFinding } from '../compare-tokens.js'
import { firstDifferentToken } from '../token-stream.js'
import { readCompilationUnit } from './compilation-unit.js'
import { javaSource } from './java-source.js'
import { javaProblem } from './java-syntax.js'
import { javaTokens } from './java-tokens.js'

/**
 * Compares two Java files: by tokens, and when these differ by declarations. Layout, comments, the order of imports and
 * of members without initialisers do not count. No parser is loaded for files with equal tokens.
 *
 * @example
 * await compareJava({ reference: 'class A {}', actual: 'class A { }', rules: {}, inTime: () => true })
 */
export async function compareJava({ reference, actual, inTime }: Sources): Promise<Finding> {
  const expected = javaTokens(reference)
  const found = javaTokens(actual)
  if (firstDifferentToken(expected, found) === undefined) return { by: 'tokens', differences: [], notes: [] }
  if (!inTime()) return tokenFinding(expected, found, [outOfTime])
  const sides = { reference: javaSource(expected), actual: javaSource(found) }
  const notes = problemNotes({
    reference: await javaProblem(sides.reference, reference),
    actual: await javaProblem(sides.actual, actual),
  })
  if (notes.length > 0) return tokenFinding(expected, found, notes)
  if (!inTime()) return tokenFinding(expected, found, [outOfTime])
  return declarationFinding(expected, found, '(file)', (side) => readCompilationUnit(sides[side]))
}
