import type { TokenStream } from '../token-stream.js'
import { dedent, indent, newline } from './python-tokens.js'

/** One statement with its clauses and the decorators before it. `to` is the index after it. */
export interface Statement {
  readonly from: number
  readonly to: number
  /** The index after the decorators, where the statement itself begins. */
  readonly start: number
  readonly clauses: readonly Clause[]
}

/** The line of a clause (`if x:`, `else:`) up to `to`, after its line end, and the block that follows. */
export interface Clause {
  readonly from: number
  readonly to: number
  readonly block?: Block
}

/** The statements between an INDENT (`from`) and its DEDENT (`to`). */
export interface Block {
  readonly from: number
  readonly to: number
  readonly statements: readonly Statement[]
}

const continuations: ReadonlySet<string> = new Set(['elif', 'else', 'except', 'finally'])

/** Reads the statements of a file that has each on a separate line. */
export function readStatements({ texts }: TokenStream): readonly Statement[] {
  return readBlock(texts, 0).statements
}

function readBlock(texts: readonly string[], from: number): Block {
  const statements: Statement[] = []
  let at = from
  while (at < texts.length && texts[at] !== dedent) {
    const statement = readStatement(texts, at)
    statements.push(statement)
    at = statement.to
  }
  return { from: from - 1, to: at, statements }
}

function readStatement(texts: readonly string[], from: number): Statement {
  let start = from
  while (texts[start] === '@' && start < texts.length) start = afterLine(texts, start)
  const clauses: Clause[] = []
  let to = start
  do {
    const line = afterLine(texts, to)
    const block = texts[line] === indent ? readBlock(texts, line + 1) : undefined
    clauses.push({ from: to, to: line, block })
    to = block === undefined ? line : block.to + 1
  } while (clauses.at(-1)?.block !== undefined && continuations.has(texts[to] ?? ''))
  return { from, to: Math.min(to, texts.length), start, clauses }
}

function afterLine(texts: readonly string[], from: number): number {
  const end = texts.indexOf(newline, from)
  return end === -1 ? texts.length : end + 1
}

/** Returns the keyword that begins a statement, without `async`. */
export function keywordOf({ texts }: TokenStream, { start }: Statement): string {
  return (texts[start] === 'async' ? texts[start + 1] : texts[start]) ?? ''
}

/** Returns the name that a `def` or `class` statement declares; `undefined` for any other. */
export function declaredName(stream: TokenStream, statement: Statement): string | undefined {
  const keyword = keywordOf(stream, statement)
  const at = statement.start + (stream.texts[statement.start] === 'async' ? 2 : 1)
  return keyword === 'def' || keyword === 'class' ? stream.texts[at] : undefined
}
