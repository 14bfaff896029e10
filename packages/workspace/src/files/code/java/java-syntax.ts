import { maxDepth, maxNodes, type SyntaxProblem } from '../../comparator.js'
import { grammarProblem } from '../grammar.js'
import { parseBudgetMs, withinBudget } from '../within-budget.js'
import { misplacedDeclaration } from './file-order.js'
import type { JavaSource } from './java-source.js'
import { translateUnicodeEscapes } from './unicode-escapes.js'

/** The longest source that the second parser is asked about: it needs some hundred times as much memory. */
const maxSecondOpinionLength = 1_048_576

/** Imports of modules are newer than both grammars: to them they are imports of types. No other text is moved. */
function withoutModuleImports(text: string): string {
  return text.replace(/\bimport(\s+)module(?=\s+[\p{L}_$][\p{L}\p{N}_$.]*\s*;)/gu, 'import$1      ')
}

/**
 * Why `text`, whose tokens are `source`, is not Java; `undefined` when it is. The fast grammar is asked first. What it
 * refuses may be newer than it is, so the slower parser has the last word.
 */
export async function javaProblem(source: JavaSource, text: string): Promise<SyntaxProblem | undefined> {
  if (source.depth > maxDepth.code) return { message: `nested deeper than ${maxDepth.code}`, line: null }
  if (source.texts.length > maxNodes) return { message: `more than ${maxNodes} tokens`, line: null }
  const misplaced = misplacedDeclaration(source)
  if (misplaced !== undefined)
    return { message: `"${source.texts[misplaced]}" is out of place`, line: source.lineOf(misplaced) }
  const translated = withoutModuleImports(translateUnicodeEscapes(text).text)
  const problem = await grammarProblem('java', translated)
  if (problem === undefined || translated.length > maxSecondOpinionLength) return problem
  const { parse } = await import('#java-parser')
  try {
    withinBudget(parseBudgetMs(translated), () => parse(translated))
    return undefined
  } catch {
    return problem
  }
}
