import type { TokenStream } from '../token-stream.js'
import { type Block, type Clause, declaredName, keywordOf, type Statement } from './statements.js'

/**
 * Creates a test for statements of one body that may change places with movable neighbours: undecorated functions whose
 * defaults are literals, whose annotations do nothing and whose names are bound once in that body.
 */
export function movableIn(stream: TokenStream, statements: Block['statements']): (statement: Statement) => boolean {
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
