import { maxDepth, maxNodes, type SyntaxProblem } from '../../comparator.js'
import { grammarProblem } from '../grammar.js'
import { misplacedDeclaration } from './file-order.js'
import type { JavaSource } from './java-source.js'
import { translateUnicodeEscapes } from './unicode-escapes.js'

/** Imports of modules are newer than the grammar, which reads them as imports of types. No other text moves. */
function withoutModuleImports(text: string): string {
  return text.replace(/\bimport(\s+)module(?=\s+[\p{L}_$][\p{L}\p{N}_$.]*\s*;)/gu, 'import$1      ')
}

/** Why `text`, whose tokens are `source`, is not Java; `undefined` when it is. */
export async function javaProblem(source: JavaSource, text: string): Promise<SyntaxProblem | undefined> {
  if (source.depth > maxDepth.code) return { message: `nested deeper than ${maxDepth.code}`, line: null }
  if (source.texts.length > maxNodes) return { message: `more than ${maxNodes} tokens`, line: null }
  const misplaced = misplacedDeclaration(source)
  if (misplaced !== undefined)
    return { message: `"${source.texts[misplaced]}" is out of place`, line: source.lineOf(misplaced) }
  const translated = withoutModuleImports(translateUnicodeEscapes(text).text)
  return grammarProblem('java', translated)
}
