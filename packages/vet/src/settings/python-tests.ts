import { posix } from 'node:path'
import { type GrammarNode, grammarTree } from '@jurist/workspace/internal'

/** Where a value of a test comes from. */
interface Origins {
  /** The absolute paths of files that it was read from. */
  readonly paths: ReadonlySet<string>
  /**
   * `clock`: a measured time; `listing`: the names of files that were found; `content`: what such files contain; `run`:
   * a program, a request or code that was run; `computed`: more than reading and trimming; `constant`: a literal.
   */
  readonly kinds: ReadonlySet<'clock' | 'listing' | 'content' | 'run' | 'computed' | 'constant' | 'exists'>
}

/** A comparison, or another condition, that decides a test. */
export interface TestCheck {
  readonly line: number
  readonly text: string
  /** Both sides of a comparison; one side for any other condition. */
  readonly sides: readonly Origins[]
  /** The string literals in it. */
  readonly literals: readonly string[]
  /** Whether it is in a loop over files that were found. */
  readonly isInListing: boolean
}

interface PythonTest {
  readonly name: string
  readonly line: number
  readonly isSkipped: boolean
  /** Whether it has an empty list of parameters. */
  readonly isEmpty: boolean
  readonly checks: readonly TestCheck[]
  /** Whether something in it may assert that is not read, such as a function of its own. */
  readonly isOpaque: boolean
  /** The absolute paths in the commands that it runs. */
  readonly runs: readonly { readonly path: string; readonly line: number }[]
}

export interface PythonFacts {
  readonly tests: readonly PythonTest[]
  /** The files that it writes at constant paths. */
  readonly writes: readonly string[]
  /** The names of the modules that it imports. */
  readonly imports: readonly string[]
}

const clocks =
  /^(?:time\.)?(?:monotonic|perf_counter|process_time)(?:_ns)?$|^time\.time(?:_ns)?$|^(?:datetime\.)*(?:now|utcnow|today)$|^(?:datetime\.)?date\.today$/
const programs =
  /^(?:subprocess\.\w+|os\.(?:system|popen|exec\w+)|(?:urllib\.request\.)?urlopen|requests\.\w+|httpx\.\w+|socket\.\w+|http\.client\.\w+|sqlite3\.connect|importlib\.\w+|runpy\.\w+|pexpect\.\w+|exec|eval|check_output|Popen|run)$/
const listings = /(?:^|\.)(?:listdir|scandir|walk|glob|iglob|rglob|iterdir)$/
const existing = /(?:^|\.)(?:exists|isfile|isdir|is_file|is_dir|getsize|stat|access)$/
/** Reading a value, and forms of the same value. */
const plain =
  /(?:^|\.)(?:open|read|readline|readlines|read_text|read_bytes|strip|rstrip|lstrip|lower|upper|decode|split|splitlines|int|float|str|Path|join|load|loads|get|basename|dirname|endswith|startswith|resolve|keys|list)$/
const failing = /^(?:pytest\.)?fail$|^sys\.exit$|^exit$|^self\.fail$/

const nothing: Origins = { paths: new Set(), kinds: new Set() }

/** Reads the facts of a Python file; `undefined` where it does not parse. */
export async function pythonFacts(source: string): Promise<PythonFacts | undefined> {
  const tree = await grammarTree('python', source)
  return 'message' in tree ? undefined : new PythonReader(source).read(tree)
}

class PythonReader {
  private readonly writes: string[] = []
  private readonly imports: string[] = []
  private readonly tests: PythonTest[] = []
  private readonly constants = new Map<string, string>()
  private readonly source: string

  constructor(source: string) {
    this.source = source
  }

  read(root: GrammarNode): PythonFacts {
    const globals = new Map<string, Origins>()
    const module = new ScopeReader(this, globals)
    for (const node of named(root)) {
      const [outer, test] = node.type === 'decorated_definition' ? [node, named(node).at(-1)] : [node, node]
      if (test?.type === 'function_definition') this.readFunction(outer, test, globals)
      else if (test?.type === 'class_definition')
        for (const inner of named(field(test, 'body') ?? test)) {
          const method = inner.type === 'decorated_definition' ? named(inner).at(-1) : inner
          if (method?.type === 'function_definition') this.readFunction(inner, method, globals)
        }
      else module.statement(node)
    }
    return { tests: this.tests, writes: this.writes, imports: this.imports }
  }

  private readFunction(outer: GrammarNode, node: GrammarNode, globals: ReadonlyMap<string, Origins>): void {
    const scope = new ScopeReader(this, new Map(globals))
    for (const statement of named(field(node, 'body') ?? node)) scope.statement(statement)
    const name = this.text(field(node, 'name'))
    if (!/^test/.test(name)) return
    const decorators = named(outer)
      .filter(({ type }) => type === 'decorator')
      .map((one) => this.text(one))
    this.tests.push({
      name,
      line: this.line(node),
      isSkipped: decorators.some((one) => /\bskip(?:if)?\b/i.test(one) && !/skipif/i.test(one)),
      isEmpty: decorators.some((one) => /parametrize\([^[\]]*,\s*(?:\[\s*\]|\(\s*\))/.test(one)),
      checks: scope.checks,
      isOpaque: scope.isOpaque,
      runs: scope.runs,
    })
  }

  text(node: GrammarNode | undefined): string {
    return node === undefined ? '' : this.source.slice(node.start, node.end)
  }

  line(node: GrammarNode): number {
    return this.source.slice(0, node.start).split('\n').length
  }

  addImport(node: GrammarNode): void {
    for (const one of named(node))
      if (/name|import/.test(one.type)) this.imports.push(this.text(one).split(/\s|\./)[0] ?? '')
  }

  addWrite(path: string | undefined): void {
    if (path?.startsWith('/') === true) this.writes.push(path)
  }

  constant(name: string): string | undefined {
    return this.constants.get(name)
  }

  setConstant(name: string, path: string | undefined): void {
    if (path !== undefined) this.constants.set(name, path)
  }
}

/** Follows the values of a function from one statement to the next. */
class ScopeReader {
  readonly checks: TestCheck[] = []
  readonly runs: { readonly path: string; readonly line: number }[] = []
  isOpaque = false
  private listingLoops = 0

  private readonly file: PythonReader
  private readonly known: Map<string, Origins>

  constructor(file: PythonReader, known: Map<string, Origins>) {
    this.file = file
    this.known = known
  }

  statement(node: GrammarNode): void {
    const { file } = this
    switch (node.type) {
      case 'import_statement':
      case 'import_from_statement':
        file.addImport(node)
        return
      case 'expression_statement':
        for (const one of named(node)) this.expression(one)
        return
      case 'assert_statement':
        this.check(named(node)[0])
        return
      case 'if_statement': {
        const [condition, body] = [field(node, 'condition'), field(node, 'consequence')]
        if (body !== undefined && this.fails(body)) this.check(condition)
        break
      }
      case 'for_statement': {
        const over = this.originsOf(field(node, 'right'))
        this.assign(field(node, 'left'), over)
        const isListing = over.kinds.has('listing')
        if (isListing) this.listingLoops += 1
        for (const one of named(field(node, 'body') ?? node)) this.statement(one)
        if (isListing) this.listingLoops -= 1
        return
      }
      case 'with_statement':
        for (const item of all(node, 'with_item')) {
          const value = field(item, 'value') ?? item
          const target = value.type === 'as_pattern' ? named(value).at(-1) : undefined
          const opened = value.type === 'as_pattern' ? named(value)[0] : value
          if (/raises$/.test(this.file.text(field(opened ?? value, 'function')))) this.isOpaque = true
          this.assign(target, this.originsOf(opened))
        }
        break
      case 'function_definition':
      case 'class_definition':
        return
    }
    for (const one of named(node)) if (/statement|block|clause/.test(one.type)) this.statement(one)
  }

  /** Whether a body ends the test as failed. */
  private fails(body: GrammarNode): boolean {
    if (all(body, 'raise_statement').length > 0) return true
    return all(body, 'call').some((call) => failing.test(this.file.text(field(call, 'function'))))
  }

  private expression(node: GrammarNode): void {
    if (node.type === 'assignment' || node.type === 'augmented_assignment') {
      const [left, right] = [field(node, 'left'), field(node, 'right')]
      this.assign(left, this.originsOf(right))
      if (left?.type === 'identifier') this.file.setConstant(this.file.text(left), this.pathOf(right))
      return
    }
    if (node.type === 'call') {
      const name = this.file.text(field(node, 'function'))
      const args = named(field(node, 'arguments') ?? node)
      if (/^self\.assert\w+$/.test(name)) {
        const sides = args.slice(0, 2).map((one) => this.originsOf(one))
        this.addCheck(node, sides)
        return
      }
      if (/(?:^|\.)_?(?:assert|check|verify|expect|validate)\w*$/.test(name)) this.isOpaque = true
    }
    this.originsOf(node)
  }

  private assign(target: GrammarNode | undefined, origins: Origins): void {
    if (target === undefined) return
    const names = target.type === 'identifier' ? [target] : all(target, 'identifier')
    for (const name of names) this.known.set(this.file.text(name), origins)
  }

  private check(condition: GrammarNode | undefined): void {
    if (condition === undefined) return
    const parts = condition.type === 'boolean_operator' ? named(condition) : [condition]
    for (const part of parts) {
      const inner = part.type === 'parenthesized_expression' || part.type === 'not_operator' ? named(part)[0] : part
      const isComparison = inner?.type === 'comparison_operator'
      this.addCheck(
        part,
        (isComparison ? named(inner) : [part]).map((one) => this.originsOf(one)),
      )
    }
  }

  private addCheck(node: GrammarNode, sides: readonly Origins[]): void {
    const text = this.file.text(node)
    const literals = all(node, 'string').flatMap((one) => stringOf(one, this.file.text(one)) ?? [])
    this.checks.push({ line: this.file.line(node), text, sides, literals, isInListing: this.listingLoops > 0 })
  }

  /** The constant path that an expression is. */
  private pathOf(node: GrammarNode | undefined): string | undefined {
    if (node === undefined) return undefined
    if (node.type === 'string') return stringOf(node, this.file.text(node))
    if (node.type === 'identifier') return this.file.constant(this.file.text(node))
    const joined = (parts: readonly (string | undefined)[]) =>
      parts.every((part) => part !== undefined) && parts.length > 0 ? posix.join(...parts) : undefined
    if (node.type === 'binary_operator') return joined(named(node).map((one) => this.pathOf(one)))
    if (node.type !== 'call' || !/(?:^|\.)(?:Path|PurePath|join)$/.test(this.file.text(field(node, 'function'))))
      return undefined
    return joined(named(field(node, 'arguments') ?? node).map((one) => this.pathOf(one)))
  }

  private originsOf(node: GrammarNode | undefined): Origins {
    if (node === undefined) return nothing
    const path = this.pathOf(node)
    if (path?.startsWith('/') === true) return { paths: new Set([path]), kinds: new Set() }
    if (node.type === 'identifier') return this.known.get(this.file.text(node)) ?? nothing
    if (/^(?:string|integer|float|true|false|none|concatenated_string)$/.test(node.type) && !isInterpolated(node))
      return { paths: new Set(), kinds: new Set(['constant']) }
    const parts = named(node).filter(({ type }) => type !== 'comment')
    if (node.type === 'call') return this.callOrigins(node)
    if (/comprehension|generator_expression|lambda/.test(node.type)) {
      for (const clause of all(node, 'for_in_clause'))
        this.assign(field(clause, 'left'), this.originsOf(field(clause, 'right')))
      return merged(
        parts.map((one) => this.originsOf(one)),
        ['computed'],
      )
    }
    const own = merged(parts.map((one) => this.originsOf(one)))
    return node.type === 'binary_operator' && own.kinds.size > 0 ? merged([own], ['computed']) : own
  }

  private callOrigins(node: GrammarNode): Origins {
    const called = field(node, 'function')
    const name = this.file.text(called)
    const args = named(field(node, 'arguments') ?? node)
    const given = args.map((one) => this.originsOf(one.type === 'keyword_argument' ? field(one, 'value') : one))
    const object = called?.type === 'attribute' ? this.originsOf(field(called, 'object')) : nothing
    const isOpen = /(?:^|\.)open$/.test(name)
    const mode = args
      .slice(1)
      .flatMap((one) => stringOf(one, this.file.text(one)) ?? this.file.text(field(one, 'value')))
    if (isOpen && mode.some((one) => /[wax]/.test(one))) this.file.addWrite(this.pathOf(args[0]))
    if (/write_(?:text|bytes)$/.test(name)) this.file.addWrite(this.pathOf(called && field(called, 'object')))
    if (clocks.test(name)) return { paths: new Set(), kinds: new Set(['clock']) }
    if (programs.test(name)) {
      const line = this.file.line(node)
      for (const one of [node, ...all(node, 'string')])
        for (const path of wordsOf(stringOf(one, this.file.text(one)))) this.runs.push({ path, line })
      return { paths: new Set(), kinds: new Set(['run']) }
    }
    if (listings.test(name)) return { paths: new Set(), kinds: new Set(['listing']) }
    const own = merged([...given, object])
    if (existing.test(name)) return merged([own], ['exists'])
    const isRead = isOpen || /(?:^|\.)read(?:_text|_bytes)?$/.test(name)
    if (isRead && own.kinds.has('listing')) return { paths: own.paths, kinds: new Set(['content']) }
    return plain.test(name) ? own : merged([own], ['computed'])
  }
}

/** The absolute paths among the words of a command. */
function wordsOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s;|&<>"'()]+/).filter((word) => /^\/\w/.test(word))
}

function merged(origins: readonly Origins[], kinds: readonly ('computed' | 'exists')[] = []): Origins {
  return {
    paths: new Set(origins.flatMap((one) => [...one.paths])),
    kinds: new Set([...origins.flatMap((one) => [...one.kinds]), ...kinds]),
  }
}

function named(node: GrammarNode): readonly GrammarNode[] {
  return node.children.filter(({ isNamed, type }) => isNamed && type !== 'comment')
}

function field(node: GrammarNode, name: string): GrammarNode | undefined {
  return node.children.find((child) => child.field === name)
}

/** All nodes of a type below a node, in order. */
function all(node: GrammarNode, type: string): readonly GrammarNode[] {
  const found: GrammarNode[] = []
  const waiting = [...node.children].reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.type === type) found.push(next)
    waiting.push(...[...next.children].reverse())
  }
  return found
}

function isInterpolated(node: GrammarNode): boolean {
  return node.type === 'string' && node.children.some(({ type }) => type === 'interpolation')
}

/** The value of a plain string literal; escapes stay as they are written. */
function stringOf(node: GrammarNode, text: string): string | undefined {
  if (node.type !== 'string' || isInterpolated(node)) return undefined
  return /^[A-Za-z]*("""|'''|"|')([\s\S]*)\1$/.exec(text)?.[2]
}
