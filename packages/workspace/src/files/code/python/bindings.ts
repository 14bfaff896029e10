import type { TokenStream } from '../token-stream.js'
import { boundNames } from './bound-names.js'
import { type Block, declaredName, type Statement } from './statements.js'

/** How often each name is bound by the statements of one body, functions and classes in it not looked into. */
export function bindings(stream: TokenStream, statements: Block['statements']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const waiting: Statement[] = [...statements]
  for (let statement = waiting.pop(); statement !== undefined; statement = waiting.pop()) {
    const declared = declaredName(stream, statement)
    const names =
      declared === undefined ? statement.clauses.flatMap((clause) => boundNames(stream.texts, clause)) : [declared]
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    if (declared !== undefined) continue
    for (const { block } of statement.clauses) for (const inner of block?.statements ?? []) waiting.push(inner)
  }
  return counts
}
