import type { Item, Unit } from '../items.js'
import type { TokenStream } from '../token-stream.js'
import { movableIn } from './movable.js'
import { type Block, type Clause, declaredName, type Statement } from './statements.js'

/** The tokens of a clause and its block; functions that may change places as a group. */
export function clauseItems(stream: TokenStream, { from, to, block }: Clause): readonly Item[] {
  const items: Item[] = range(from, to)
  if (block === undefined) return items
  return [...items, ...blockItems(stream, block)]
}

/** The tokens of a block from its INDENT to its DEDENT. */
export function blockItems(stream: TokenStream, { from, to, statements }: Block): readonly Item[] {
  const isMovable = movableIn(stream, statements)
  const items: Item[] = [from]
  let run: Unit[] | undefined
  for (const statement of statements) {
    const inside = statementItems(stream, statement)
    if (isMovable(statement)) {
      if (run === undefined) {
        run = []
        items.push({ units: run })
      }
      run.push({ key: declaredName(stream, statement) ?? '', items: inside })
    } else {
      run = undefined
      for (const item of inside) items.push(item)
    }
  }
  if (to < stream.texts.length) items.push(to)
  return items
}

/** The tokens of a statement with its decorators. */
export function statementItems(stream: TokenStream, { from, start, clauses }: Statement): readonly Item[] {
  return [...range(from, start), ...clauses.flatMap((clause) => clauseItems(stream, clause))]
}

/** The numbers from `from` up to, without, `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
