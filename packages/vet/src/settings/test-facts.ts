import { posix } from 'node:path'
import { lineFinder } from '../mutate/mutants.js'
import { readTest } from '../test-code/read-test.js'
import { conditionsOf, nameOf, nodesIn, type TestNode } from '../test-code/test-node.js'

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

interface ReadTest {
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

/** The facts about a file of tests, or a script. */
export interface TestFacts {
  readonly tests: readonly ReadTest[]
  /** The files that it writes at constant paths. */
  readonly writes: readonly string[]
}

const clocks =
  /^(?:time\.)?(?:monotonic|perf_counter|process_time)(?:_ns)?$|^time\.time(?:_ns)?$|^(?:datetime\.)*(?:now|utcnow|today)$|^(?:datetime\.)?date\.today$|^(?:Date|performance|Instant|LocalDate(?:Time)?)\.now$|^System\.(?:nanoTime|currentTimeMillis)$|^process\.hrtime(?:\.bigint)?$/
const programs =
  /^(?:subprocess\.\w+|os\.(?:system|popen|exec\w+)|(?:urllib\.request\.)?urlopen|requests\.\w+|httpx\.\w+|socket\.\w+|http\.client\.\w+|sqlite3\.connect|importlib\.\w+|runpy\.\w+|pexpect\.\w+|exec|eval|check_output|Popen|run)$|^(?:\w+\.)?(?:exec|execFile|spawn|fork)(?:Sync|Async)?$|^(?:execa\w*|fetch|import|\$|ProcessBuilder)$|\.(?:exec|invoke)$/
const listings =
  /(?:^|\.)(?:listdir|scandir|walk|glob|iglob|rglob|iterdir|readdir|readdirSync|globSync|listFiles)$|^Files\.(?:list|walk)$/
const existing =
  /(?:^|\.)(?:exists|isfile|isdir|is_file|is_dir|getsize|stat|access|existsSync|statSync|accessSync|isRegularFile)$/
/** Reading a value, and forms of the same value. */
const plain =
  /(?:^|\.)(?:open|read|readline|readlines|read_text|read_bytes|strip|rstrip|lstrip|lower|upper|decode|split|splitlines|int|float|str|Path|join|load|loads|get|basename|dirname|endswith|startswith|resolve|keys|list|readFile|readFileSync|parse|trim|toString|Number|String|readString|readAllLines|toLowerCase|toUpperCase|Buffer|from|of)$/
const reading = /(?:^|\.)(?:open|read|read_text|read_bytes|readFile|readFileSync|readString|readAllLines)$/
const failing = /^(?:pytest\.)?fail$|^(?:sys\.|process\.)?exit$|^(?:self|assert|expect|Assertions)\.fail$/
const opaque = /(?:^|\.)_?(?:assert|check|verify|expect|validate|assume|should)\w*$|raises$|^assertThat/
/** Checks with one side and a value that is only asked for. */
const asked = /^(?:toBeTruthy|toBeDefined|ok|assert|isTrue|assertTrue|toBe)$/

const nothing: Origins = { paths: new Set(), kinds: new Set() }

/** Reads the facts of a file of tests; `undefined` where it does not parse. */
export async function testFacts(path: string, source: string): Promise<TestFacts | undefined> {
  const tree = await readTest(path, source)
  return tree === undefined ? undefined : new FactReader(source).read(tree)
}

class FactReader {
  private readonly writes: string[] = []
  private readonly tests: ReadTest[] = []
  private readonly constants = new Map<string, string>()
  /** Functions of the file that assert something. */
  readonly asserting = new Set<string>()
  private readonly source: string
  readonly line: (offset: number) => number

  constructor(source: string) {
    this.source = source
    this.line = lineFinder(source)
  }

  read(root: TestNode): TestFacts {
    for (const node of nodesIn(root)) {
      const [target, value] = node.kind === 'assign' ? node.parts : [node, node]
      if (target !== undefined && value?.kind === 'function' && nodesIn(value).some(decides))
        this.asserting.add(target.word)
    }
    const module = new ScopeReader(this, new Map())
    module.statement(root)
    return { tests: this.tests, writes: this.writes }
  }

  addTest({ word, start, parts, idle }: TestNode, outer: ReadonlyMap<string, Origins>): void {
    const scope = new ScopeReader(this, new Map(outer))
    for (const part of parts) scope.body(part)
    const { checks, isOpaque, runs } = scope
    this.tests.push({
      ...{ name: word, line: this.line(start), checks, isOpaque, runs },
      isSkipped: idle === 'skipped',
      isEmpty: idle === 'empty',
    })
  }

  text({ start, end }: Pick<TestNode, 'start' | 'end'>): string {
    return this.source.slice(start, end)
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

  private readonly file: FactReader
  private readonly known: Map<string, Origins>

  constructor(file: FactReader, known: Map<string, Origins>) {
    this.file = file
    this.known = known
  }

  /** Reads the body of a function as what happens now. */
  body(node: TestNode): void {
    if (node.kind === 'function') for (const part of node.parts) this.statement(part)
    else this.statement(node)
  }

  statement(node: TestNode): void {
    const [first, second, ...rest] = node.parts
    switch (node.kind) {
      case 'test':
        this.file.addTest(node, this.known)
        return
      case 'function':
        // Hooks and bodies of suites run, too; what other functions assert is not followed.
        for (const part of node.parts) for (const one of nodesIn(part)) if (one.kind === 'test') this.statement(one)
        return
      case 'block':
        for (const part of node.parts) this.statement(part)
        return
      case 'assign':
        this.assign(first, this.originsOf(second))
        if (first?.kind === 'name') this.file.setConstant(first.word, this.pathOf(second))
        return
      case 'check':
        this.check(node)
        return
      case 'branch':
        if (second !== undefined && this.fails(second))
          this.check({ ...node, kind: 'check', word: 'if', parts: node.parts.slice(0, 1) })
        else this.originsOf(first)
        for (const part of [second, ...rest]) if (part !== undefined) this.statement(part)
        return
      case 'loop': {
        const over = this.originsOf(second)
        this.assign(first, over)
        const isListing = over.kinds.has('listing')
        if (isListing) this.listingLoops += 1
        for (const part of rest) this.body(part)
        if (isListing) this.listingLoops -= 1
        return
      }
      case 'call':
        if (opaque.test(nameOf(first)) || this.file.asserting.has(first?.word ?? '')) this.isOpaque = true
        this.originsOf(node)
        return
      default:
        this.originsOf(node)
    }
  }

  /** Whether a body ends the test as failed. */
  private fails(body: TestNode): boolean {
    return nodesIn(body).some(
      ({ kind, parts }) => kind === 'raise' || (kind === 'call' && failing.test(nameOf(parts[0]))),
    )
  }

  private assign(target: TestNode | undefined, origins: Origins): void {
    for (const { kind, word } of target === undefined ? [] : nodesIn(target))
      if (kind === 'name') this.known.set(word, origins)
  }

  private check(node: TestNode): void {
    if (node.kind === 'check' && /[Tt]hrow|[Rr]eject/.test(node.word)) this.isOpaque = true
    for (const one of conditionsOf(node)) {
      const sides =
        one.kind === 'check' && asked.test(one.word) && one.parts.length === 2 && isTruth(one.parts[1])
          ? one.parts.slice(0, 1)
          : one.kind === 'check' || one.kind === 'compare'
            ? one.parts
            : [one]
      this.checks.push({
        line: this.file.line(one.start),
        text: this.file.text(one),
        sides: sides.map((side) => this.originsOf(side)),
        literals: nodesIn(one).flatMap(({ kind, word }) => (kind === 'text' ? [word] : [])),
        isInListing: this.listingLoops > 0,
      })
    }
  }

  /** The constant path that an expression is. */
  private pathOf(node: TestNode | undefined): string | undefined {
    if (node === undefined) return undefined
    if (node.kind === 'text') return node.word
    if (node.kind === 'name') return this.file.constant(node.word)
    const joined = (parts: readonly TestNode[]) => {
      const paths = parts.map((part) => this.pathOf(part))
      return paths.every((part) => part !== undefined) && paths.length > 0
        ? posix.join(...(paths as string[]))
        : undefined
    }
    if (node.kind === 'operation') return joined(node.parts)
    const [callee, ...args] = node.kind === 'call' ? node.parts : []
    if (callee === undefined) return undefined
    const name = nameOf(callee)
    if (/\.resolve$/.test(name) && !/^path\.|^posix\./.test(name)) return joined([...callee.parts, ...args])
    return /(?:^|\.)(?:Path|PurePath|join|resolve|File)$|^Paths?\.(?:of|get)$/.test(name) ? joined(args) : undefined
  }

  private originsOf(node: TestNode | undefined): Origins {
    if (node === undefined) return nothing
    const path = this.pathOf(node)
    if (path?.startsWith('/') === true) return { paths: new Set([path]), kinds: new Set() }
    const { kind, parts } = node
    if (kind === 'name') return this.known.get(node.word) ?? nothing
    if (kind === 'text' || kind === 'constant') return { paths: new Set(), kinds: new Set(['constant']) }
    if (kind === 'call') return this.callOrigins(node)
    if (kind === 'assign') {
      const value = this.originsOf(parts[1])
      this.assign(parts[0], value)
      return value
    }
    const own = merged(parts.map((one) => this.originsOf(one)))
    if (kind === 'function') return merged([own], ['computed'])
    return kind === 'operation' && own.kinds.size > 0 ? merged([own], ['computed']) : own
  }

  private callOrigins(node: TestNode): Origins {
    const [called, ...args] = node.parts
    const name = nameOf(called)
    const given = args.map((one) => this.originsOf(one))
    const object = called?.kind === 'member' ? this.originsOf(called.parts[0]) : nothing
    const isOpen = /(?:^|\.)open$/.test(name)
    const mode = args.slice(1).map((one) => one.parts[0]?.word ?? one.word)
    if (isOpen && mode.some((one) => /[wax]/.test(one))) this.file.addWrite(this.pathOf(args[0]))
    if (/write_(?:text|bytes)$/.test(name)) this.file.addWrite(this.pathOf(called?.parts[0]))
    if (/(?:^|\.)writeFile(?:Sync)?$|^Files\.write(?:String)?$/.test(name)) this.file.addWrite(this.pathOf(args[0]))
    if (clocks.test(name)) return { paths: new Set(), kinds: new Set(['clock']) }
    if (programs.test(name)) {
      const line = this.file.line(node.start)
      for (const { kind, word } of nodesIn(node))
        if (kind === 'text') for (const path of wordsOf(word)) this.runs.push({ path, line })
      return { paths: new Set(), kinds: new Set(['run']) }
    }
    if (listings.test(name)) return { paths: new Set(), kinds: new Set(['listing']) }
    const own = merged([...given, object])
    if (existing.test(name)) return merged([own], ['exists'])
    if (reading.test(name) && own.kinds.has('listing')) return { paths: own.paths, kinds: new Set(['content']) }
    return plain.test(name) ? own : merged([own], ['computed'])
  }
}

function decides({ kind }: TestNode): boolean {
  return kind === 'check' || kind === 'raise'
}

/** Whether a side only says that something is true or there. */
function isTruth(node: TestNode | undefined): boolean {
  return node?.kind === 'constant' && /^true$/i.test(node.word)
}

/** The absolute paths among the words of a command. */
function wordsOf(text: string): readonly string[] {
  return text.split(/[\s;|&<>"'()]+/).filter((word) => /^\/\w/.test(word))
}

function merged(origins: readonly Origins[], kinds: readonly ('computed' | 'exists')[] = []): Origins {
  return {
    paths: new Set(origins.flatMap((one) => [...one.paths])),
    kinds: new Set([...origins.flatMap((one) => [...one.kinds]), ...kinds]),
  }
}
