import { type GrammarNode, grammarTree } from '../../files/code/grammar.js'
import { child, children, parseScript, type SyntaxNode, walk } from '../../files/code/script/parse-script.js'
import { type GoAssertion, readGoTests } from './read-go.js'

/** A part of a source whose replacement makes the expectation of a test wrong. */
export interface Expectation {
  readonly start: number
  readonly was: string
  readonly became: string
  /** Counted from 1. */
  readonly line: number
  /** The assertion on one line. */
  readonly call: string
  /** Whether the changed expectation looks as likely to a reader as the right one. */
  readonly isEven: boolean
}

/** A test of a source, with the titles of its suites and its own, outermost first. `null` matches any title. */
export interface SourceTest {
  readonly titles: readonly (RegExp | null)[]
  /** The possible changes, the most useful first. */
  readonly expectations: readonly Expectation[]
}

export interface TestSource {
  readonly tests: readonly SourceTest[]
  /**
   * The indexes at which something can be added to the titles that begin the ids of tests; `undefined` if one is not a
   * plain string.
   */
  readonly titleEnds: readonly number[] | undefined
}

/** Returns a number from 0 up to, but not including, `below`. */
export type Draw = (below: number) => number

/** Reads the tests of a source; `undefined` if its language is unknown or the source does not parse. */
export async function readTests(source: string, path: string, draw: Draw): Promise<TestSource | undefined> {
  if (/\.[cm]?[jt]sx?$/.test(path)) return readScriptTests(source, path, draw)
  if (path.endsWith('_test.go')) return goTests(source, draw)
  const language = /\.(py|java)$/.exec(path)?.[1]
  if (language === undefined) return undefined
  const tree = await grammarTree(language === 'py' ? 'python' : 'java', source)
  return 'message' in tree ? undefined : { tests: grammarTests(tree, source, draw), titleEnds: undefined }
}

interface Span {
  readonly start: number
  readonly end: number
}

interface Literal extends Span {
  readonly kind: 'number' | 'text' | 'boolean'
  /** Whether it belongs to the expected value rather than to the arguments of the code. */
  readonly isExpected: boolean
}

/** A word of an assertion that can be replaced by its opposite. */
interface Turn extends Span {
  readonly became: string
  readonly isEven: boolean
}

interface Assertion extends Span {
  readonly literals: readonly Literal[]
  readonly turns: readonly Turn[]
}

/**
 * Lists the possible changes of a test: expected values first, then arguments of the code, then the assertion itself.
 */
function expectationsOf(assertions: readonly Assertion[], source: string, draw: Draw): readonly Expectation[] {
  const lineAt = (at: number) => source.slice(0, at).split('\n').length
  const made = (assertion: Assertion, span: Span, became: string, isEven: boolean): Expectation => {
    const call = source.slice(assertion.start, assertion.end).replace(/\s+/g, ' ')
    return {
      start: span.start,
      was: source.slice(span.start, span.end),
      became,
      line: lineAt(span.start),
      call,
      isEven,
    }
  }
  const values = (isExpected: boolean) =>
    assertions.flatMap((assertion) =>
      assertion.literals
        .filter((literal) => literal.isExpected === isExpected)
        .flatMap((literal) => {
          const became = otherValue(literal.kind, source.slice(literal.start, literal.end), draw)
          return became === undefined ? [] : [made(assertion, literal, became, true)]
        }),
    )
  const turns = assertions.flatMap((assertion) =>
    assertion.turns.map((turn) => made(assertion, turn, turn.became, turn.isEven)),
  )
  const even = turns.filter(({ isEven }) => isEven)
  const odd = turns.filter(({ isEven }) => !isEven)
  return [...shuffled(values(true), draw), ...even, ...shuffled(values(false), draw), ...odd]
}

export function shuffled<Value>(values: readonly Value[], draw: Draw): readonly Value[] {
  const all = [...values]
  for (let last = all.length - 1; last > 0; last--) {
    const other = draw(last + 1)
    const [one, two] = [all[last] as Value, all[other] as Value]
    all[last] = two
    all[other] = one
  }
  return all
}

/**
 * Returns another value of the same kind. Both directions are equally likely, so that only the right answer reveals
 * which value was there first. A rule such as "one more" would reveal it.
 */
function otherValue(kind: Literal['kind'], text: string, draw: Draw): string | undefined {
  if (kind === 'boolean') return opposites.get(text)
  return kind === 'number' ? otherNumber(text) : otherText(text, draw)
}

const opposites: ReadonlyMap<string, string> = new Map([
  ['true', 'false'],
  ['false', 'true'],
  ['True', 'False'],
  ['False', 'True'],
])

/**
 * Each number and its neighbour replace each other, including zero, so that a pair does not reveal which one was there
 * first.
 */
function otherNumber(text: string): string | undefined {
  const [, whole, rest = ''] = /^(\d{1,15})((?:\.\d+)?(?:[nlLfFdD])?)$/.exec(text) ?? []
  if (whole === undefined || /^0\d/.test(whole)) return undefined
  const value = Number(whole)
  return `${value % 2 === 0 ? value + 1 : value - 1}${rest}`
}

const alphabets = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Changes one letter or digit of a string. Escapes stay. */
function otherText(text: string, draw: Draw): string | undefined {
  const places = [...text.matchAll(/(?<=^["'`][\s\S]*)[\da-z](?=[\s\S]*["'`]$)/gi)]
    .map(({ index }) => index)
    .filter((at) => !/\\[^\s"']{0,8}$/.test(text.slice(Math.max(0, at - 9), at)))
  const digits = places.filter((at) => /\d/.test(text[at] ?? ''))
  const open = digits.length > 0 ? digits : places
  if (open.length === 0) return undefined
  const at = open[draw(open.length)] ?? 0
  const alphabet = alphabets.find((one) => one.includes(text[at] ?? '')) ?? ''
  const others = [...alphabet].filter((letter) => letter !== text[at])
  return `${text.slice(0, at)}${others[draw(others.length)] ?? ''}${text.slice(at + 1)}`
}

/** Opposite assertions that are equally common. */
const evenTurns = turnTable('toBeTruthy toBeFalsy, assertTrue assertFalse, isTrue isFalse')
/**
 * Opposites of which one is rarer, or both are vague: they show that tests can fail, not that code cannot read them.
 */
const oddTurns = turnTable(
  'equal notEqual, strictEqual notStrictEqual, deepEqual notDeepEqual, deepStrictEqual notDeepStrictEqual, ' +
    'match doesNotMatch, throws doesNotThrow, rejects doesNotReject, assertEqual assertNotEqual, ' +
    'assertEquals assertNotEquals, assertIn assertNotIn, assertIs assertIsNot, assertIsNone assertIsNotNone, ' +
    'assertNull assertNotNull, assertSame assertNotSame',
)

function turnTable(pairs: string): ReadonlyMap<string, string> {
  const all = pairs.split(', ').map((pair) => pair.split(' ') as [string, string])
  return new Map([...all, ...all.map(([one, other]): [string, string] => [other, one])])
}

function turnsOf(name: string, span: Span): readonly Turn[] {
  const [even, odd] = [evenTurns.get(name), oddTurns.get(name)]
  const became = even ?? odd
  return became === undefined ? [] : [{ ...span, became, isEven: even !== undefined }]
}

const mostNodes = 200_000
const testNames = new Set(['test', 'it', 'specify'])
const suiteNames = new Set(['describe', 'suite', 'context'])
const assertionNames = new Set(
  (
    'assert expect equal strictEqual deepEqual deepStrictEqual notEqual notStrictEqual notDeepEqual notDeepStrictEqual ok ' +
    'throws doesNotThrow rejects doesNotReject match doesNotMatch chai t'
  ).split(' '),
)

interface Titled extends Span {
  readonly title: RegExp | null
  /** The index at which something can be added to the title. */
  readonly titleEnd: number | undefined
  readonly isTest: boolean
}

async function readScriptTests(source: string, path: string, draw: Draw): Promise<TestSource | undefined> {
  const parsed = await parseScript(source, path)
  if ('message' in parsed) return undefined
  const titled: Titled[] = []
  const assertions: Assertion[] = []
  walk(parsed.file, mostNodes, (node) => {
    if (node.type !== 'CallExpression') return
    const root = rootOf(node)
    const isSuite = suiteNames.has(root)
    const given = children(node, 'arguments')
    const isRun = given.some(({ type }) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression')
    if ((isSuite || testNames.has(root)) && isRun)
      titled.push({ ...titleOf(given[0], source), ...spanOf(node), isTest: !isSuite })
    else if (assertionNames.has(root)) assertions.push(assertionOf(node, source))
  })
  const tests = titled.filter(({ isTest }) => isTest).sort((one, other) => one.start - other.start)
  const whole = assertions.filter((one) => !assertions.some((other) => other !== one && holds(other, one)))
  const outermost = titled.filter((one) => !titled.some((other) => other !== one && holds(other, one)))
  const ends = outermost.map(({ titleEnd }) => titleEnd)
  return {
    tests: tests.map((test) => {
      const own = whole.filter(
        (one) => holds(test, one) && !tests.some((other) => holds(test, other) && other !== test && holds(other, one)),
      )
      const around = titled.filter((one) => holds(one, test)).sort((one, other) => one.start - other.start)
      return { titles: around.map(({ title }) => title), expectations: expectationsOf(own, source, draw) }
    }),
    titleEnds: ends.every((end) => end !== undefined) ? ends : undefined,
  }
}

function spanOf({ start, end }: Span): Span {
  return { start, end }
}

function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end
}

/** Returns the name at the start of a chain of calls and members. */
function rootOf(node: SyntaxNode): string {
  let next: SyntaxNode | undefined = node
  while (next !== undefined && next.type !== 'Identifier')
    next = child(next, 'callee') ?? child(next, 'object') ?? child(next, 'tag') ?? child(next, 'argument')
  return String(next?.['name'] ?? '')
}

const escapedPattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Returns the title as a pattern: anything may replace what a program or a table fills in. */
function titleOf(node: SyntaxNode | undefined, source: string): Pick<Titled, 'title' | 'titleEnd'> {
  if (
    node?.type === 'StringLiteral' ||
    (node?.type === 'TemplateLiteral' && children(node, 'expressions').length === 0)
  ) {
    const text = node.type === 'StringLiteral' ? String(node['value']) : source.slice(node.start + 1, node.end - 1)
    const pattern = text
      .split(/%[sdifjoOp#$]|\$[\w.]+/)
      .map(escapedPattern)
      .join('[\\s\\S]*')
    return { title: new RegExp(`^${pattern}$`), titleEnd: node.end - 1 }
  }
  if (node?.type !== 'TemplateLiteral') return { title: null, titleEnd: undefined }
  const parts = children(node, 'quasis').map((part) => escapedPattern(source.slice(part.start, part.end)))
  return { title: new RegExp(`^${parts.join('[\\s\\S]*')}$`), titleEnd: node.end - 1 }
}

const comparisons = new Set(['===', '!==', '==', '!=', '<', '<=', '>', '>='])

function assertionOf(node: SyntaxNode, source: string): Assertion {
  const literals: Literal[] = []
  const turns: Turn[] = []
  for (
    let next: SyntaxNode | undefined = node;
    next !== undefined;
    next = child(next, 'callee') ?? child(next, 'object')
  ) {
    if (next.type !== 'CallExpression') continue
    const callee = child(next, 'callee')
    const isActual = callee?.type === 'Identifier' && callee['name'] === 'expect'
    const given = children(next, 'arguments')
    for (const argument of given) literals.push(...scriptLiterals(argument, !isActual))
    const [first] = given
    const property = callee && child(callee, 'property')
    if (property !== undefined) turns.push(...turnsOf(String(property['name']), spanOf(property)))
    if (/^toThrow/.test(String(property?.['name'])) && !/\.not\.\w+$/.test(source.slice(callee?.start, callee?.end)))
      turns.push({ ...spanOf(property as SyntaxNode), became: `not.${String(property?.['name'])}`, isEven: false })
    if (first !== undefined && /^(?:assert|ok)$/.test(String((property ?? callee)?.['name'])))
      turns.push({ ...spanOf(first), became: `!(${source.slice(first.start, first.end)})`, isEven: false })
  }
  return { ...spanOf(node), literals, turns }
}

const literalKinds: Readonly<Record<string, Literal['kind']>> = {
  NumericLiteral: 'number',
  BigIntLiteral: 'number',
  StringLiteral: 'text',
  BooleanLiteral: 'boolean',
}

/**
 * Returns the literals of an argument. They are expected values if the argument contains no call, or if they are a side
 * of a comparison.
 */
function scriptLiterals(argument: SyntaxNode, mayBeExpected: boolean): readonly Literal[] {
  const [left, right] = [child(argument, 'left'), child(argument, 'right')]
  if (argument.type === 'BinaryExpression' && comparisons.has(String(argument['operator'])) && left && right)
    return [...scriptLiterals(left, mayBeExpected), ...scriptLiterals(right, mayBeExpected)]
  const found: (Span & Pick<Literal, 'kind'>)[] = []
  const keys = new Set<SyntaxNode>()
  let calls = 0
  walk(argument, mostNodes, (node) => {
    if (/^(?:Optional)?CallExpression$|^NewExpression$|Function|^AwaitExpression$/.test(node.type)) calls += 1
    const key = child(node, 'key')
    if (key !== undefined && node['computed'] !== true) keys.add(key)
    const kind = literalKinds[node.type]
    if (kind !== undefined && !keys.has(node)) found.push({ ...spanOf(node), kind })
  })
  return found.map((one) => ({ ...one, isExpected: mayBeExpected && calls === 0 }))
}

const grammarKinds: Readonly<Record<string, Literal['kind']>> = {
  integer: 'number',
  float: 'number',
  decimal_integer_literal: 'number',
  decimal_floating_point_literal: 'number',
  string: 'text',
  string_literal: 'text',
  true: 'boolean',
  false: 'boolean',
}

function grammarTests(tree: GrammarNode, source: string, draw: Draw): readonly SourceTest[] {
  const tests = below(tree, (node) => isGrammarTest(node, source))
  return tests.map((test) => {
    const nested = new Set(tests.filter((other) => other !== test && holds(test, other)))
    const found = below(test, (node) => isGrammarAssertion(node, source), nested)
    const names: RegExp[] = []
    for (let at: GrammarNode | null = test; at !== null; at = at.parent) {
      const name = at.children.find(({ field }) => field === 'name')
      if (name !== undefined && /^(?:function_definition|method_declaration|class_)/.test(at.type))
        names.unshift(new RegExp(`^${escapedPattern(source.slice(name.start, name.end))}$`))
    }
    return {
      titles: names,
      expectations: expectationsOf(
        found.map((one) => grammarAssertion(one, source)),
        source,
        draw,
      ),
    }
  })
}

/** Returns the outermost matching nodes below a node. */
function below(
  root: GrammarNode,
  fits: (node: GrammarNode) => boolean,
  without: ReadonlySet<GrammarNode> = new Set(),
): readonly GrammarNode[] {
  const found: GrammarNode[] = []
  const waiting = [...root.children].reverse()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (without.has(node)) continue
    if (fits(node)) found.push(node)
    else waiting.push(...[...node.children].reverse())
  }
  return found
}

const textOf = (node: GrammarNode | undefined, source: string) =>
  node === undefined ? '' : source.slice(node.start, node.end)
const fieldOf = (node: GrammarNode, field: string) => node.children.find((one) => one.field === field)

function isGrammarTest(node: GrammarNode, source: string): boolean {
  if (node.type === 'function_definition') return /^test/.test(textOf(fieldOf(node, 'name'), source))
  if (node.type !== 'method_declaration') return false
  return below(node, ({ type }) => /annotation$/.test(type)).some((one) =>
    /^@(?:\w+\.)*Test\b/.test(textOf(one, source)),
  )
}

function calledName(node: GrammarNode, source: string): string {
  const called =
    node.type === 'call' ? textOf(fieldOf(node, 'function'), source) : textOf(fieldOf(node, 'name'), source)
  return called.split('.').at(-1) ?? ''
}

function isGrammarAssertion(node: GrammarNode, source: string): boolean {
  if (node.type === 'assert_statement') return true
  return (
    /^(?:call|method_invocation)$/.test(node.type) &&
    /^(?:assert|isEqualTo|isTrue|isFalse)/.test(calledName(node, source))
  )
}

function grammarAssertion(node: GrammarNode, source: string): Assertion {
  const span = spanOf(node)
  if (node.type === 'assert_statement') {
    const [condition] = node.children.filter(({ isNamed }) => isNamed)
    if (condition === undefined) return { ...span, literals: [], turns: [] }
    const sides =
      condition.type === 'comparison_operator' ? condition.children.filter(({ isNamed }) => isNamed) : [condition]
    const became = `not (${textOf(condition, source)})`
    return {
      ...span,
      literals: sides.flatMap(grammarLiterals),
      turns: [{ ...spanOf(condition), became, isEven: false }],
    }
  }
  const name = fieldOf(node, 'function') ?? fieldOf(node, 'name')
  const word = calledName(node, source)
  const turns = name === undefined ? [] : turnsOf(word, { start: name.end - word.length, end: name.end })
  const inner = below(node, ({ type }) => type === 'argument_list')
  return {
    ...span,
    literals: inner.flatMap(({ children: all }) => all.filter(({ isNamed }) => isNamed).flatMap(grammarLiterals)),
    turns,
  }
}

function grammarLiterals(argument: GrammarNode): readonly Literal[] {
  const calls = below({ ...argument, children: [argument] }, ({ type }) =>
    /^(?:call|method_invocation|object_creation_expression|lambda|lambda_expression|await)$/.test(type),
  )
  const literals = below({ ...argument, children: [argument] }, ({ type }) => grammarKinds[type] !== undefined)
  return literals.flatMap((node) => {
    const kind = grammarKinds[node.type]
    const isKey = node.parent?.type === 'pair' && node.field === 'key'
    const isFilled = node.children.some(({ type }) => type === 'interpolation')
    return kind === undefined || isKey || isFilled ? [] : [{ ...spanOf(node), kind, isExpected: calls.length === 0 }]
  })
}

async function goTests(source: string, draw: Draw): Promise<TestSource | undefined> {
  const tests = await readGoTests(source)
  if (tests === undefined) return undefined
  const bytes = Buffer.from(source)
  const spanIn = ({ start, end }: Span): Span => {
    const before = bytes.toString('utf8', 0, start).length
    return { start: before, end: before + bytes.toString('utf8', start, end).length }
  }
  const assertionIn = ({ operator, literals, ...span }: GoAssertion): Assertion => {
    const place = spanIn({ start: operator, end: operator + 2 })
    const became = source.slice(place.start, place.end) === '==' ? '!=' : '=='
    return {
      ...spanIn(span),
      literals: (literals ?? []).map(({ kind, isExpected, ...literal }) => ({ ...spanIn(literal), kind, isExpected })),
      turns: operator < 0 ? [] : [{ ...place, became, isEven: false }],
    }
  }
  return {
    tests: tests.map(({ name, assertions }) => ({
      titles: [new RegExp(`^${name}$`)],
      expectations: expectationsOf((assertions ?? []).map(assertionIn), source, draw),
    })),
    titleEnds: undefined,
  }
}
