import type { Item, Member, Part, Unit } from '../declaration.js'
import type { TokenStream } from '../token-stream.js'
import { movableIn } from './movable.js'
import { type Block, type Clause, declaredName, keywordOf, readStatements, type Statement } from './statements.js'

/** Returns the statements of a file as members: functions and classes by name, everything else as `(module)`. */
export function moduleMembers(stream: TokenStream, ignoreImportOrder: boolean): readonly Member[] {
  const statements = readStatements(stream)
  const imports = ignoreImportOrder ? leadingImports(stream, statements) : new Set<Statement>()
  const members = bodyMembers(stream, '', statements)
  const seen = new Set<string>()
  return members.flatMap((member, index) => {
    const statement = statements[index]
    if (statement === undefined || !imports.has(statement)) return [member]
    const text = stream.texts.slice(statement.from, statement.to).join(' ')
    if (seen.has(text)) return []
    seen.add(text)
    const { sequence: _, ...withoutPlace } = member
    return [{ ...withoutPlace, sort: 'import' }]
  })
}

/** Returns the imports at the beginning of the file, after its docstring. */
function leadingImports(stream: TokenStream, statements: readonly Statement[]): ReadonlySet<Statement> {
  const first = statements.findIndex((statement) => !/^[rRuU]?["']/.test(keywordOf(stream, statement)))
  const behind = statements.findIndex((statement, index) => index >= first && !isImport(stream, statement))
  return new Set(first === -1 ? [] : statements.slice(first, behind === -1 ? undefined : behind))
}

function isImport(stream: TokenStream, statement: Statement): boolean {
  return ['import', 'from'].includes(keywordOf(stream, statement))
}

function bodyMembers(stream: TokenStream, path: string, statements: readonly Statement[]): readonly Member[] {
  const isMovable = movableIn(stream, statements)
  return statements.map((statement) => {
    const name = declaredName(stream, statement)
    const place = { first: statement.from, last: statement.to - 1, sequence: 'statements' }
    if (name === undefined) {
      const sort = isImport(stream, statement) ? 'import statement' : 'statement'
      const parts = [part('differs', '', statementItems(stream, statement), statement.to)]
      return { key: path === '' ? '(module)' : path, sort, anonymous: true, ...place, parts }
    }
    const key = path === '' ? name : `${path}.${name}`
    if (keywordOf(stream, statement) === 'class') return { key, ...place, ...classContent(stream, key, statement) }
    return { key, ...place, parts: functionParts(stream, statement), movable: isMovable(statement) }
  })
}

function classContent(stream: TokenStream, key: string, { from, clauses }: Statement) {
  const end = clauses[0]?.to ?? from
  const members = bodyMembers(stream, key, clauses[0]?.block?.statements ?? [])
  return { parts: [part('header', 'header', range(from, end), end)], members }
}

/** Splits a function: decorators and `async` are its header, followed by its signature and its body. */
function functionParts(stream: TokenStream, { from, start, to, clauses }: Statement): readonly Part[] {
  const keyword = stream.texts[start] === 'async' ? start + 1 : start
  const [clause] = clauses
  const line = clause?.to ?? to
  const signature = clause === undefined ? [] : clauseItems(stream, { from: keyword, to: line })
  const body = clause?.block === undefined ? [] : blockItems(stream, clause.block)
  return [
    part('header', 'header', range(from, keyword), keyword),
    part('differs', 'signature', signature, line),
    part('differs', 'body', body, to),
  ]
}

function part(kind: Part['kind'], label: string, items: Part['items'], end: number): Part {
  return { kind, label, items, end }
}

/** Returns the tokens of a clause and its block, with movable functions as a group. */
function clauseItems(stream: TokenStream, { from, to, block }: Clause): readonly Item[] {
  const items: Item[] = range(from, to)
  if (block === undefined) return items
  return [...items, ...blockItems(stream, block)]
}

function blockItems(stream: TokenStream, { from, to, statements }: Block): readonly Item[] {
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

function statementItems(stream: TokenStream, { from, start, clauses }: Statement): readonly Item[] {
  return [...range(from, start), ...clauses.flatMap((clause) => clauseItems(stream, clause))]
}

/** Returns the numbers from `from` up to, but not including, `to`. */
function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
