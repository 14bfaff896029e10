import { type Finding, maxNodes, outOfTime, type Sources, type SyntaxProblem, type Unparsed } from '../../comparator.js'
import { declarationFinding } from '../compare-declarations.js'
import type { Item, Member, Part, Unit } from '../declaration.js'
import { grammarProblem } from '../grammar.js'
import { firstDifferentToken, lineFinder, problemNotes, type TokenStream, tokenFinding } from '../token-stream.js'
import { withOneStatementPerLine, withoutTrailingCommas } from './one-style.js'
import { dedent, indent, lexPython, newline } from './python-tokens.js'

/** One statement with its clauses and the decorators before it. `to` is the index after it. */
interface Statement {
  readonly from: number
  readonly to: number
  /** The index after the decorators, where the statement itself begins. */
  readonly start: number
  readonly clauses: readonly Clause[]
}

/** The line of a clause (`if x:`, `else:`) up to `to`, after its line end, and the block that follows. */
interface Clause {
  readonly from: number
  readonly to: number
  readonly block?: Block
}

/** The statements between an INDENT (`from`) and its DEDENT (`to`). */
interface Block {
  readonly from: number
  readonly to: number
  readonly statements: readonly Statement[]
}

const continuations: ReadonlySet<string> = new Set(['elif', 'else', 'except', 'finally'])

/** Reads the statements of a file that has each on a separate line. */
function readStatements({ texts }: TokenStream): readonly Statement[] {
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
function keywordOf({ texts }: TokenStream, { start }: Statement): string {
  return (texts[start] === 'async' ? texts[start + 1] : texts[start]) ?? ''
}

/** Returns the name that a `def` or `class` statement declares; `undefined` for any other. */
function declaredName(stream: TokenStream, statement: Statement): string | undefined {
  const keyword = keywordOf(stream, statement)
  const at = statement.start + (stream.texts[statement.start] === 'async' ? 2 : 1)
  return keyword === 'def' || keyword === 'class' ? stream.texts[at] : undefined
}

/**
 * Compares two Python files by tokens in one style and, if these differ, by declarations. Quotes, the width of
 * indentation, trailing commas and the order of neighbouring functions do not count.
 */
export async function comparePython({ reference, actual, rules, inTime }: Sources): Promise<Finding | Unparsed> {
  const encodings = { reference: encodingProblem(reference), actual: encodingProblem(actual) }
  const unreadable = problemNotes(encodings)
  if (unreadable.length > 0) return { by: 'nothing', notes: unreadable }
  const expected = readPython(reference)
  const found = readPython(actual)
  const areEqual = firstDifferentToken(expected.stream, found.stream) === undefined
  if (areEqual && expected.problem === undefined && found.problem === undefined) {
    return { by: 'tokens', differences: [], notes: [] }
  }
  if (!inTime()) return tokenFinding(expected.stream, found.stream, [outOfTime])
  const notes = problemNotes({
    reference: expected.problem ?? (await syntaxProblem(expected.stream, reference)),
    actual: found.problem ?? (await syntaxProblem(found.stream, actual)),
  })
  if (notes.length > 0) return tokenFinding(expected.stream, found.stream, notes)
  if (!inTime()) return tokenFinding(expected.stream, found.stream, [outOfTime])
  const ignoreImportOrder = rules.ignoreImportOrder === true
  const streams = { reference: expected.stream, actual: found.stream }
  return declarationFinding(streams.reference, streams.actual, '(module)', (side) =>
    moduleMembers(streams[side], ignoreImportOrder),
  )
}

function readPython(source: string): { readonly stream: TokenStream; readonly problem?: SyntaxProblem | undefined } {
  const { tokens: written, problem } = lexPython(source)
  const isSmall = written.length <= maxNodes
  const tokens = isSmall ? withoutTrailingCommas(withOneStatementPerLine(written)) : written
  const lineAt = lineFinder(source)
  const stream = { texts: tokens.map(({ text }) => text), lineOf: (index: number) => lineAt(tokens[index]?.start ?? 0) }
  return { stream, problem }
}

async function syntaxProblem({ texts }: TokenStream, source: string): Promise<SyntaxProblem | undefined> {
  if (texts.length > maxNodes) return { message: `more than ${maxNodes} tokens`, line: null }
  return grammarProblem('python', source)
}

const declaration = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/
const blankOrComment = /^[ \t\f]*(?:#|$)/

/**
 * Refuses a source whose first lines declare another encoding than UTF-8: what looks like a comment here could be code
 * to Python. Returns `undefined` without such a declaration.
 */
export function encodingProblem(source: string): SyntaxProblem | undefined {
  for (const [index, line] of source.split('\n', 2).entries()) {
    const name = declaration.exec(line)?.[1]
    if (name !== undefined) {
      if (/^utf[-_]?8(?:[-_](?:sig|unix))?$/i.test(name)) return undefined
      return { message: `the encoding "${name}" is not UTF-8`, line: index + 1 }
    }
    if (!blankOrComment.test(line)) return undefined
  }
  return undefined
}

/** Returns the statements of a file as members: functions and classes by name, everything else as `(module)`. */
function moduleMembers(stream: TokenStream, ignoreImportOrder: boolean): readonly Member[] {
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

/**
 * Creates a test for statements of one body that may change places with movable neighbours: undecorated functions whose
 * defaults are literals, whose annotations do nothing and whose names are bound once in that body.
 */
function movableIn(stream: TokenStream, statements: Block['statements']): (statement: Statement) => boolean {
  const counts = bindings(stream, statements)
  return function isMovable(statement) {
    const name = declaredName(stream, statement)
    if (name === undefined || keywordOf(stream, statement) !== 'def' || statement.from !== statement.start) return false
    return counts.get(name) === 1 && hasLiteralDefaults(stream, statement) && !mayAct(stream, statement)
  }
}

function hasLiteralDefaults({ texts }: TokenStream, { start, clauses }: Statement): boolean {
  const end = clauses[0]?.to ?? start
  let depth = 0
  for (let at = start; at < end; at++) {
    const text = texts[at] ?? ''
    if (text === '(' || text === '[' || text === '{') depth++
    else if (text === ')' || text === ']' || text === '}') depth--
    else if (text === '=' && depth === 1 && !isLiteral(texts, at + 1)) return false
  }
  return true
}

/** Annotations with an effect when the function is defined: a call, a binding, a loop, a formatted string. */
const acts = /^(?::=|for|await|yield|[rRtT]?[fFtT][rR]?["'])/
const beforeCall = /^(?:[\p{L}\p{N}_]+|\)|\]|\}|.*["'])$/u
const notCalled: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'lambda'])

function mayAct({ texts }: TokenStream, { start, clauses }: Statement): boolean {
  const end = clauses[0]?.to ?? start
  const parameters = texts.indexOf('(', start)
  for (let at = start; at < end; at++) {
    const [text = '', before = ''] = [texts[at], texts[at - 1]]
    if (acts.test(text)) return true
    if (text === '(' && at !== parameters && beforeCall.test(before) && !notCalled.has(before)) return true
  }
  return false
}

const literal = /^(?:[\d.]|None$|True$|False$|[rRuUbB]{0,2}["'])/

/** Whether there is only a number, a string, `None`, `True` or `False` between `from` and the next parameter. */
function isLiteral(texts: readonly string[], from: number): boolean {
  const start = texts[from] === '-' ? from + 1 : from
  let end = start
  while (literal.test(texts[end] ?? '')) end++
  return end > start && (texts[end] === ',' || texts[end] === ')')
}

/** Counts how often the statements of one body bind each name, without looking into its functions and classes. */
function bindings(stream: TokenStream, statements: Block['statements']): ReadonlyMap<string, number> {
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

type Line = readonly string[]

/**
 * Returns the names that the line of a clause binds. Only bare names count, since `f.x = 1` and `f[0] = 1` change the
 * object and not the binding. In doubtful cases, extra names are better than missing ones.
 */
function boundNames(texts: Line, { from, to, block }: Clause): Line {
  const line = texts.slice(texts[from] === 'async' ? from + 1 : from, to)
  const walrus = line.filter((_, index) => line[index + 1] === ':=')
  return [...byStatement(line, block !== undefined), ...walrus]
}

function byStatement(line: Line, opensBlock: boolean): Line {
  const [keyword = '', ...rest] = line
  switch (keyword) {
    case 'import':
      return imported(rest)
    case 'from':
      return imported(rest.slice(rest.indexOf('import') + 1))
    case 'global':
    case 'nonlocal':
      return rest.filter(isName)
    case 'del':
      return inTarget(rest)
    case 'for':
      return inTarget(rest.slice(0, indexOutside(rest, 0, loopEnd)))
    case 'with':
    case 'except':
      return behindAs(rest)
    default:
      if (keyword === 'case' && opensBlock) return inPattern(rest)
      return keyword === 'type' && isName(rest[0]) ? rest.slice(0, 1) : assigned(line)
  }
}

const loopEnd: ReadonlySet<string> = new Set(['in'])
const itemEnd: ReadonlySet<string> = new Set([',', ':'])
const guard: ReadonlySet<string> = new Set(['if'])
const assignment: ReadonlySet<string> = new Set('= += -= *= /= %= @= &= |= ^= **= //= >>= <<='.split(' '))
/** The tokens that end a target. A `lambda` has no target after it. */
const targetEnd: ReadonlySet<string> = new Set([...assignment, ':', 'lambda'])

/** `import a.b` binds `a`, `import a.b as c` binds `c`. */
function imported(names: Line): Line {
  const items: string[][] = [[]]
  for (const text of names)
    if (text === ',') items.push([])
    else if (isName(text)) items.at(-1)?.push(text)
  return items.flatMap((item) => item[item.indexOf('as') + 1] ?? [])
}

function behindAs(line: Line): Line {
  return line.flatMap((text, index) =>
    text === 'as' ? inTarget(line.slice(index + 1, indexOutside(line, index + 1, itemEnd))) : [],
  )
}

/** Returns the captures of a `case`, without classes, their keywords and dotted names. */
function inPattern(line: Line): Line {
  const pattern = line.slice(0, indexOutside(line, 0, guard))
  return pattern.filter((text, index) => {
    const next = pattern[index + 1] ?? ''
    return isName(text) && pattern[index - 1] !== '.' && !['.', '(', '='].includes(next)
  })
}

/** Returns the targets before each `=`, without annotations. */
function assigned(line: Line): Line {
  const names: string[] = []
  for (let from = 0; ; ) {
    const end = indexOutside(line, from, targetEnd)
    const equals = line[end] === ':' ? indexOutside(line, end, assignment) : end
    if (!assignment.has(line[equals] ?? '')) return names
    names.push(...inTarget(line.slice(from, end)))
    from = equals + 1
  }
}

/** Returns the bare names in a list of targets. */
function inTarget(target: Line): Line {
  const names: string[] = []
  for (let at = 0; at < target.length; at++) {
    const text = target[at] ?? ''
    const before = target[at - 1]
    if ((text === '(' || text === '[') && (isName(before) || before === ')' || before === ']'))
      at = indexOutside(target, at + 1, new Set())
    else if (isName(text) && before !== '.' && !['.', '(', '['].includes(target[at + 1] ?? '')) names.push(text)
  }
  return names
}

/**
 * Returns the index of the first of these tokens outside brackets, or of the bracket that closes those around `from`.
 */
function indexOutside(line: Line, from: number, wanted: ReadonlySet<string>): number {
  let depth = 0
  for (let at = from; at < line.length; at++) {
    const text = line[at] ?? ''
    const closes = text === ')' || text === ']' || text === '}'
    if (depth === 0 && (closes || wanted.has(text))) return at
    if (closes) depth--
    else if (text === '(' || text === '[' || text === '{') depth++
  }
  return line.length
}

function isName(text: string | undefined): boolean {
  return text !== undefined && /^[A-Za-z_\u0080-\uffff][^"']*$/.test(text)
}
