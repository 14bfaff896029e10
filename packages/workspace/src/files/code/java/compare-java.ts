import { type Finding, maxDepth, maxNodes, outOfTime, type Sources, type SyntaxProblem } from '../../comparator.js'
import { declarationFinding } from '../compare-declarations.js'
import { grammarProblem } from '../grammar.js'
import { firstDifferentToken, problemNotes, tokenFinding } from '../token-stream.js'
import { misplacedDeclaration, readCompilationUnit } from './compilation-unit.js'
import { type JavaSource, javaSource } from './java-source.js'
import { javaTokens, translateUnicodeEscapes } from './java-tokens.js'

/**
 * Compares two Java files by tokens and, if these differ, by declarations. Layout, comments, and the order of imports
 * and of members without initialisers do not count. No parser is loaded for files with equal tokens.
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

/**
 * Module imports are newer than the grammar, which reads them as imports of types. The offsets of all other code stay
 * the same.
 */
function withoutModuleImports(text: string): string {
  return text.replace(/\bimport(\s+)module(?=\s+[\p{L}_$][\p{L}\p{N}_$.]*\s*;)/gu, 'import$1      ')
}

/** Returns why `text`, whose tokens are `source`, is not Java; `undefined` if it is. */
export async function javaProblem(source: JavaSource, text: string): Promise<SyntaxProblem | undefined> {
  if (source.depth > maxDepth.code) return { message: `nested deeper than ${maxDepth.code}`, line: null }
  if (source.texts.length > maxNodes) return { message: `more than ${maxNodes} tokens`, line: null }
  const misplaced = misplacedDeclaration(source)
  if (misplaced !== undefined)
    return { message: `"${source.texts[misplaced]}" is out of place`, line: source.lineOf(misplaced) }
  const translated = withoutModuleImports(translateUnicodeEscapes(text).text)
  return grammarProblem('java', translated)
}
