import { posix } from 'node:path'
import { conditionsOf, nameOf, nodesIn, type TestNode } from '../test-code/test-node.js'
import type { Demand } from './hidden-demand.js'
import { type CommandWord, commandDemands, wordsOf } from './shell-demands.js'
import { isWordIn, standardModules } from './variant.js'

/** The files and facts beside a test. */
export interface TestContext {
  /** The paths of all hidden tests. */
  readonly tests: readonly string[]
  /** The files that agents see. */
  readonly visible: ReadonlyMap<string, string>
  /** The texts of hidden files that are not code. */
  readonly data: string
}

interface TestFile extends TestContext {
  readonly path: string
  readonly source: string
}

/** Lists what a test demands of the code under test, whether or not anything says it. */
export function demandsIn(test: TestNode, file: TestFile): readonly Demand[] {
  return new DemandReader(file).read(test)
}

/** Members of built-in values, which no solver must guess. */
const builtIn: ReadonlySet<string> = new Set(
  [
    ...[Object, Function, Array, String, Number, Boolean, Date, RegExp, Map, Set, Promise, Error, Symbol, BigInt],
    ...[Uint8Array, ArrayBuffer, URL, Response, Headers, JSON, Math],
  ]
    .flatMap((one) => [
      ...Object.getOwnPropertyNames(one),
      ...Object.getOwnPropertyNames('prototype' in one ? one.prototype : one),
    ])
    .concat(
      // Test tools, iterators, errors and processes.
      `default mock calls results next value done message code stack cause mockReturnValue mockResolvedValue
      mockImplementation stdout stderr exitCode signal pid failed output toBe
      append extend items keys get pop sort sorted strip split join lower upper startswith endswith replace format
      count index copy update add remove insert decode encode read write close args cache_clear return_value
      side_effect real imag shape tolist returncode read_text read_bytes exists is_file is_dir stem suffix name parent
      status_code text json headers content columns iloc loc mean sum invoke exit_code exception
      size isEmpty contains containsKey containsValue put getOrDefault equals hashCode toString getMessage getCause
      getClass length charAt isBlank trim stream toList collect map filter anyMatch allMatch noneMatch findFirst isPresent
      orElse orElseThrow getKey getValue entrySet values iterator hasNext intValue doubleValue longValue compareTo ordinal
      valueOf indexOf getFirst getLast forEach class body statusCode waitFor exitValue getInputStream
      start directory environment redirectErrorStream inheritIO`.split(/\s+/),
    ),
)
const builtInOfPython = /^(?:__\w+__|assert_\w+|call_\w+)$/

/** Modules of test tools, and libraries that are known. */
const foreign =
  /^(?:pytest|unittest|hypothesis|numpy|pandas|mock|__future__|requests|httpx|yaml|flask|fastapi|starlette|django|sqlalchemy|pydantic|click|typer|rich|attrs?|PIL|scipy|sklearn|torch|matplotlib|jinja2|bs4|lxml|aiohttp|psycopg2?|redis|cryptography|dateutil|freezegun|responses|tomli|openpyxl|psutil|networkx|pyarrow|pexpect)$/
const settingOfMachine =
  /^(?:PATH|HOME|CI|USER|SHELL|PWD|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|NODE_ENV|NODE_OPTIONS|NODE_PATH|PYTHON\w+|FORCE_COLOR|NO_COLOR|TERM|DEBUG)$/

const processes =
  /^(?:subprocess|sp)\.(?:run|call|check_call|check_output|Popen|getoutput)$|^os\.(?:system|popen)$|^(?:(?:cp|child_process|childProcess)\.)?(?:exec|execFile|spawn|fork)(?:Sync|Async)?$|^execa\w*$|^\$$|^ProcessBuilder$|^Runtime\.\S*\.exec$/
const results =
  /(?:^|\.)(?:JSON\.parse|json\.loads?|readTree|open|read\w*|fetch|request|urlopen|DictReader|reader|invoke|communicate|send|json|inject|loads?)$/
/** Calls whose result is made of their argument. */
const forms =
  /(?:^|\.)(?:Object\.\w+|Array\.from|list|dict|set|sorted|str|next|iter|List\.of|reversed|tuple|enumerate)$/
const fileReads =
  /^(?:open|Path|pathlib\.Path|os\.path\.(?:exists|isfile|isdir|getsize)|os\.(?:stat|listdir)|pd\.read_\w+|pandas\.read_\w+|Paths?\.(?:of|get)|File|FileReader|FileInputStream|Files\.(?:exists|read\w+|lines|size))$|(?:^|\.)(?:readFile|existsSync|readFileSync|statSync|stat|access|accessSync|createReadStream|readdirSync|readdir)$/
const reads = /^(?:read_text|read_bytes|exists|is_file|is_dir|stat|open|toString)$/
const joins = /(?:^|\.)(?:join|resolve|URL)$/
const strings = /^(?:str|String|os\.fspath)$|\.(?:toString|as_posix)$/
const environments = /(?:^|\.)(?:getenv|environ\.get|setenv|delenv|stubEnv|environ\.setdefault|environment\(\)\.put)$/
const asMessage = /\bmessage$|\bstderr$|getMessage\(\)$|^str\(\w+(?:\.\w+)?\)$|exception\)$|\.err$/
const messageChecks = /^(?:toThrow(?:Error)?|hasMessage\w*|withMessage\w*|toThrowErrorMatching\w*)$/
const keyChecks =
  /^(?:toHaveProperty|containsKeys?|containsOnlyKeys|containsEntry|hasFieldOrProperty\w*|hasOwn|property)$/
const asKeys = /\bkeys\(|keySet\(\)$|^(?:set|list|sorted)\(|fieldnames|columns|header/i
const asText = /text|out|read|content|html|body|line|log|source|script/i
const keyName = /^[A-Za-z_][\w-]*$/
const address = /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::(\d{2,5}))?(\/[\w./-]*)?/g

class DemandReader {
  private readonly file: TestFile
  private readonly found: Demand[] = []
  /** Where the values of names come from: the code under test, what it wrote or said, or the test itself. */
  private readonly origins = new Map<string, 'code' | 'data' | 'test'>()
  private readonly runners = new Set<string>()
  /** The file that a name is the path of. */
  private readonly paths = new Map<string, string>()
  /** Nodes that demand, and so give nothing to the solution. */
  private readonly demanding = new Set<TestNode>()
  /** Words that the test itself gives to the solution. */
  private readonly given = new Set<string>()

  constructor(file: TestFile) {
    this.file = file
  }

  read(root: TestNode): readonly Demand[] {
    for (const node of nodesIn(root)) {
      const [target, value] = node.kind === 'assign' ? node.parts : [node, node]
      if (value?.kind === 'function' && target !== undefined && target.word !== '' && this.runsProgram(value))
        this.runners.add(target.word)
    }
    for (const node of nodesIn(root)) this.visit(node)
    this.giveRest(root)
    const titled = this.file.source.replaceAll(/\b(?:test|it|describe)\(\s*(["'`]).*?\1/g, '')
    const thrown = nodesIn(root).flatMap((node) => (node.kind === 'raise' ? textsIn(node) : []))
    const isGiven = ({ kind, word }: Demand) => {
      if (kind === 'message') return thrown.some((text) => word.includes(text))
      if (kind === 'command') return isWordIn(titled.replaceAll(`'${word}'`, '').replaceAll(`"${word}"`, ''), word)
      return /^(?:key|path|port)$/.test(kind) && (this.given.has(word) || isWordIn(this.file.data, word))
    }
    return this.found.filter((one) => one.word !== '' && !isGiven(one)).sort((a, b) => a.at - b.at)
  }

  private text(node: TestNode | undefined): string {
    return node === undefined ? '' : this.file.source.slice(node.start, node.end)
  }

  private runsProgram(node: TestNode): boolean {
    return nodesIn(node).some((one) => one.kind === 'call' && processes.test(nameOf(one.parts[0])))
  }

  private add(kind: Demand['kind'], word: string, node: TestNode): void {
    this.demanding.add(node)
    this.found.push({ kind, word, at: node.start })
  }

  private visit(node: TestNode): void {
    switch (node.kind) {
      case 'import':
        this.readImport(node)
        break
      case 'assign':
        this.readAssign(node)
        break
      case 'loop':
        this.declare(node.parts[0], this.originOf(node.parts[1]))
        break
      case 'member':
        this.readMember(node)
        break
      case 'item':
        this.readItem(node)
        break
      case 'call':
        this.readCall(node)
        break
      case 'check':
        for (const one of conditionsOf(node)) this.readCondition(one)
        break
      case 'operation': {
        const [, last] = node.parts
        if (node.word === '/' && last?.kind === 'text') this.addPath(last)
        break
      }
      case 'pair':
        if (/^env(?:ironment)?$/.test(node.word))
          for (const one of node.parts.flatMap(({ kind, parts }) => (kind === 'object' ? parts : [])))
            if (one.kind === 'pair' && !settingOfMachine.test(one.word)) this.add('variable', one.word, one)
        break
      case 'text':
        for (const [, port, route] of node.word.matchAll(address)) {
          if (port !== undefined) this.add('port', port, node)
          if (route !== undefined && route.length > 3) this.add('path', posix.basename(route), node)
        }
    }
  }

  private readImport({ word: module, parts }: TestNode): void {
    const { path } = this.file
    if (path.endsWith('.py')) this.readPythonImport(module, parts)
    else if (path.endsWith('.java')) {
      const own = /^package\s+([\w.]+)/m.exec(this.file.source)?.[1]?.split('.').slice(0, 2).join('.')
      const isSeen = [...this.file.visible.keys()].some((one) => one.includes(module.replaceAll('.', '/')))
      if (module === '.' || isSeen || (own !== undefined && `${module}.`.startsWith(`${own}.`))) this.importNames(parts)
    } else if (/^\.{1,2}(?:\/|$)/.test(module)) {
      const target = posix.join(posix.dirname(path), module).replace(/\.[cm]?[jt]sx?$/, '')
      if (this.file.tests.some((one) => one.replace(/\.[cm]?[jt]sx?$/, '') === target)) return
      const [first] = parts
      const base = posix.basename(target)
      if (first !== undefined && !/^(?:index|\.*|src)$/.test(base))
        this.found.push({ kind: 'name', word: base, at: first.start })
      this.importNames(parts)
    }
  }

  private readPythonImport(module: string, parts: readonly TestNode[]): void {
    const all = module === '' ? parts.map((one) => one.word.slice(2)) : [module]
    for (const [index, whole] of all.entries()) {
      const [first = ''] = whole.split('.')
      const { visible, tests } = this.file
      const isSeen = [...visible.keys()].some((one) => new RegExp(`(?:^|/)${first}(?:/|\\.py$)`).test(one))
      const isInstalled = [...visible].some(
        ([path, text]) => /requirements|pyproject|setup\.|Dockerfile|Pipfile/.test(path) && isWordIn(text, first),
      )
      const isHelper = tests.some((one) => one.endsWith(`/${first}.py`) || one === `${first}.py`)
      if (first === '' || isHelper || (!isSeen && (isInstalled || foreign.test(first) || standardModules.has(first))))
        continue
      const at = (module === '' ? parts[index] : parts[0])?.start ?? 0
      this.found.push({ kind: 'name', word: whole.split('.').at(-1) ?? '', at })
      if (module === '') this.declare(parts[index]?.parts[0], 'code')
      else this.importNames(parts)
    }
  }

  private importNames(pairs: readonly TestNode[]): void {
    for (const pair of pairs) {
      this.declare(pair.parts[0], 'code')
      if (pair.word !== 'default' && pair.word !== '*') this.add('name', pair.word, pair)
    }
  }

  private declare(target: TestNode | undefined, origin: 'code' | 'data' | 'test' | undefined): void {
    if (target === undefined || origin === undefined) return
    if (target.kind === 'name') this.origins.set(target.word, origin)
    if (target.kind === 'list') for (const part of target.parts) this.declare(part, origin)
    if (target.kind !== 'object') return
    for (const pair of target.parts) {
      if (pair.kind !== 'pair') continue
      this.declare(pair.parts[0], origin)
      if (origin !== 'test' && !builtIn.has(pair.word)) this.add(origin === 'code' ? 'member' : 'key', pair.word, pair)
      else this.demanding.add(pair)
    }
  }

  private readAssign({ parts: [target, value, type] }: TestNode): void {
    const path = this.pathIn(value)
    if (target?.kind === 'name' && path !== undefined) this.paths.set(target.word, path)
    const isOwn = value?.kind === 'object' || value?.kind === 'list' || value?.kind === 'text'
    this.declare(target, this.originOf(value) ?? this.originOf(type) ?? (isOwn ? 'test' : undefined))
  }

  private originOf(node: TestNode | undefined): 'code' | 'data' | 'test' | undefined {
    if (node === undefined) return undefined
    const [first, ...args] = node.parts
    switch (node.kind) {
      case 'name':
        return this.origins.get(node.word)
      case 'call': {
        const name = nameOf(node.parts[0])
        if (processes.test(name) || this.runners.has(name)) return 'data'
        const own = this.originOf(first)
        if (own !== undefined) return own
        if (results.test(name)) return 'data'
        return forms.test(name) ? this.originOf(args[0]) : undefined
      }
      case 'item':
      case 'member':
        return this.originOf(first)
      case 'block':
      case 'logic':
        return node.parts.map((one) => this.originOf(one)).find((one) => one !== undefined)
      default:
        return undefined
    }
  }

  private readMember(node: TestNode): void {
    const { word, parts } = node
    const [object] = parts
    const on = nameOf(object)
    const origin = this.originOf(object)
    const isOwn = !builtIn.has(word) && !builtInOfPython.test(word) && origin !== undefined && origin !== 'test'
    if (on === 'process.env' && !settingOfMachine.test(word)) this.add('variable', word, node)
    else if (isOwn) this.add(origin === 'code' ? 'member' : 'key', word, node)
  }

  private readItem({ parts: [object, key] }: TestNode): void {
    if (key?.kind !== 'text') return
    if (/^(?:process\.env|os\.environ)$/.test(nameOf(object))) {
      if (!settingOfMachine.test(key.word)) this.add('variable', key.word, key)
    } else if (this.originOf(object) !== 'test' && /^[\w-]+$/.test(key.word)) this.add('key', key.word, key)
  }

  /** The name of the file that an expression is the path of. */
  private pathIn(node: TestNode | undefined): string | undefined {
    if (node === undefined) return undefined
    const [first, last] = [node.parts[0], node.parts.at(-1)]
    if (node.kind === 'name') return this.paths.get(node.word)
    if (node.kind === 'text' || node.kind === 'template') {
      const word = posix.basename(node.word)
      return /\s/.test(node.word) || (node.kind === 'text' && !/[./]/.test(node.word)) ? undefined : word
    }
    if (node.kind === 'operation') return last?.kind === 'text' ? posix.basename(last.word) : this.pathIn(last)
    if (node.kind !== 'call') return undefined
    const name = nameOf(node.parts[0])
    if (joins.test(name)) return last?.kind === 'text' ? posix.basename(last.word) : undefined
    if (strings.test(name)) return this.pathIn(node.parts[1] ?? first?.parts[0])
    return /^(?:Path|pathlib\.Path|Paths?\.(?:of|get)|File)$/.test(name) ? this.pathIn(last) : undefined
  }

  /** Notes that a test reads a file. */
  private addPath(given: TestNode | undefined): void {
    let node = given
    while (node?.kind === 'operation' || (node?.kind === 'call' && isPathCall(nameOf(node.parts[0]))))
      node = node.parts.at(-1)
    if (node === undefined) return
    for (const one of nodesIn(node)) this.demanding.add(one)
    const word = node.kind === 'text' || node.kind === 'template' ? posix.basename(node.word) : ''
    const isOwn = this.file.tests.some((path) => posix.basename(path) === word)
    if (word.length > 2 && !/[\s*]/.test(word) && !isOwn) this.add('path', word, node)
  }

  private readCall(node: TestNode): void {
    const [callee, ...args] = node.parts
    const name = nameOf(node.parts[0])
    const [first, second] = args
    if (environments.test(name) && first?.kind === 'text' && !settingOfMachine.test(first.word))
      this.add('variable', first.word, first)
    if (/(?:^|\.)(?:patch|setattr)$/.test(name) && first?.kind === 'text') {
      const [module = ''] = first.word.split('.')
      if (!foreign.test(module) && !standardModules.has(module))
        this.add('name', first.word.split('.').at(-1) ?? '', first)
    }
    if (/(?:^|\.)(?:spyOn|setattr|object)$/.test(name) && second?.kind === 'text' && this.originOf(first) === 'code')
      this.add('member', second.word, second)
    if (/(?:^|\.)(?:raises|assertRaisesRegex)$/.test(name)) {
      const match = args.find((one) => one.kind === 'pair' && one.word === 'match')?.parts[0]
      this.addMessage(match ?? (/Regex$/.test(name) ? second : undefined))
    }
    if (/^(?:assert\.)?(?:throws|rejects)$/.test(name)) this.readThrown(args)
    if (/(?:^|\.)(?:connect|createConnection|create_connection|Socket)$/.test(name))
      for (const one of args.flatMap(nodesIn)) if (/^\d{2,5}$/.test(one.word)) this.add('port', one.word, one)
    this.readKeyCall(node, callee, name)
    this.readFiles(node, name)
    this.readCommand(name, args)
  }

  /** Members of maps, and of objects of JSON. */
  private readKeyCall({ parts: [, first] }: TestNode, callee: TestNode | undefined, name: string): void {
    const isKey = /\.(?:get|getOrDefault|containsKey|has|path|get(?:String|Int|Double|Boolean|Long|AsJson\w+))$/.test(
      name,
    )
    if (!isKey || first?.kind !== 'text' || !/^\w+$/.test(first.word)) return
    const origin = this.originOf(callee)
    if (origin === 'code' || origin === 'data') this.add('key', first.word, first)
  }

  private readFiles(node: TestNode, name: string): void {
    const [callee, ...args] = node.parts
    const [first, second] = args
    const mode = second?.kind === 'pair' ? second.parts[0] : second
    const isWriting = name === 'open' && /[wax]/.test(mode?.word ?? '')
    const isMember = callee?.kind === 'member'
    if (fileReads.test(name) && !isWriting) this.addPath(first)
    else if (isMember && callee.word === 'resolve') this.addPath(first)
    else if (
      !(isMember && reads.test(callee.word)) &&
      !isPathCall(name) &&
      !strings.test(name) &&
      !processes.test(name)
    ) {
      // What a test writes, or gives to the solution, is no demand.
      const isWritten = isMember && /^(?:write\w*|mkdir|touch|unlink|symlink_to)$/.test(callee.word)
      for (const one of [...(isWritten ? callee.parts : []), ...args]) this.give(one)
    }
  }

  private give(node: TestNode): void {
    if (node.kind === 'list' || node.kind === 'pair') for (const one of node.parts) this.give(one)
    const path = node.kind === 'text' ? undefined : this.pathIn(node)
    if (path !== undefined) this.given.add(path)
  }

  private readCommand(name: string, args: readonly TestNode[]): void {
    const isProcess = processes.test(name)
    const lists = args.filter(({ kind }) => kind === 'list')
    const withFlags = lists.filter(({ parts }) => parts.some((one) => /^--[a-z]/.test(one.word)))
    const runs = this.runners.has(name)
    const words = (nodes: readonly TestNode[]) =>
      nodes.flatMap((one): readonly (CommandWord & { readonly node: TestNode })[] => {
        if (one.kind === 'list') return words(one.parts)
        if (one.kind === 'object' || one.kind === 'pair' || one.kind === 'function') return []
        return [{ word: one.kind === 'text' ? one.word : '', at: one.start, node: one }]
      })
    const [first] = args
    const isLine = /^(?:text|template)$/.test(first?.kind ?? '') && lists.length === 0 && /\s/.test(this.text(first))
    if ((isProcess || runs) && isLine && first !== undefined && args.filter(({ kind }) => kind === 'text').length < 2) {
      const line =
        first.kind === 'text'
          ? first.word
          : this.text(first)
              .replace(/^\w?[`"']+|[`"']+$/g, '')
              .replaceAll(/\$?\{[^}]*\}/g, '$_')
      for (const command of wordsOf(line, first.start))
        this.addCommand(runs && !isProcess ? [unknown, unknown, ...command] : command)
      this.demanding.add(first)
    } else if (isProcess) this.addCommand(words(args))
    else if (runs) this.addCommand([unknown, unknown, ...words(args)])
    else
      for (const list of /(?:^|\.)(?:invoke|main)$/.test(name) ? lists : withFlags)
        this.addCommand([unknown, unknown, ...words([list])])
  }

  private addCommand(words: readonly (CommandWord & { readonly node?: TestNode })[]): void {
    for (const one of commandDemands(words)) {
      const node = words.find(({ word, at }) => at === one.at && word.startsWith(one.word))?.node
      if (node !== undefined) this.demanding.add(node)
      if (one.kind !== 'variable' || !settingOfMachine.test(one.word)) this.found.push(one)
    }
  }

  private addMessage(node: TestNode | undefined): void {
    if (node === undefined) return
    const word =
      node.kind === 'text'
        ? node.word.replaceAll(/\\(?!n)|^\^|\$$/g, '')
        : /^\/\^?([\w ,'-]+)\$?\/\w*$/.exec(node.word)?.[1]
    if (word !== undefined && word.length > 2 && !/\.\*|\|/.test(word)) this.add('message', word, node)
  }

  private readThrown(args: readonly TestNode[]): void {
    for (const one of args.slice(1).flatMap((arg) => (arg.kind === 'object' ? arg.parts : [arg])))
      if (one.kind !== 'pair') {
        if (one.kind === 'constant') this.addMessage(one)
      } else if (one.word === 'message') this.addMessage(one.parts[0])
      else if (one.word === 'code' && one.parts[0]?.kind === 'text') this.add('key', one.parts[0].word, one.parts[0])
  }

  private readCondition(node: TestNode): void {
    const { word, parts } = node
    const others = parts.slice(1)
    if (messageChecks.test(word)) for (const one of others) this.addMessage(one)
    else if (/^(?:throws|rejects)$/.test(word)) this.readThrown(parts)
    else if (keyChecks.test(word))
      for (const one of /^(?:toHaveProperty|containsEntry)$/.test(word) ? others.slice(0, 1) : others)
        this.addNames(one, /\./)
    else this.readSides(node)
  }

  private readSides(node: TestNode): void {
    const { word, parts } = node
    const [first, ...others] = parts
    const isMessage = parts.some((one) => asMessage.test(this.text(one)))
    const isCalled = node.kind === 'call' && /\.contains$|\.includes$|\.startswith$/.test(nameOf(node.parts[0]))
    for (const one of isCalled ? others : parts) {
      if (isMessage || (isCalled && asMessage.test(this.text(first?.parts[0])))) this.addMessage(one)
      const rest = parts.filter((other) => other !== one)
      this.addKeys(one)
      if (word === 'in' && one === first && one.kind === 'text' && /^\w+$/.test(one.word)) {
        const [holder] = rest
        if (this.originOf(holder) !== undefined && !asText.test(this.text(holder))) this.addNames(one)
      }
      const names =
        one.kind === 'list'
          ? one
          : one.kind === 'call' && /^(?:Set|List)\.of$/.test(nameOf(one.parts[0]))
            ? one
            : undefined
      if (names !== undefined && rest.some((other) => asKeys.test(this.text(other)))) this.addNames(names)
      this.expect(one)
    }
  }

  /** The expected value of a test is not given to the solution. */
  private expect(node: TestNode): void {
    if (!/^(?:text|list|object|pair)$/.test(node.kind)) return
    this.demanding.add(node)
    for (const one of node.parts) this.expect(one)
  }

  /** The texts of a list, or a text, that name keys. */
  private addNames(node: TestNode, separator = /$/): void {
    if (node.kind === 'text')
      for (const word of node.word.split(separator)) if (keyName.test(word)) this.add('key', word, node)
    if (node.kind === 'list' || node.kind === 'call') for (const one of node.parts) this.addNames(one)
  }

  /** The keys of an expected value. */
  private addKeys(value: TestNode): void {
    for (const { kind, parts } of value.kind === 'list' ? value.parts : [value])
      for (const pair of kind === 'object' ? parts : []) {
        if (pair.kind !== 'pair') continue
        if (keyName.test(pair.word) && !builtIn.has(pair.word)) this.add('key', pair.word, pair)
        for (const one of pair.parts) this.addKeys(one)
      }
  }

  /** Notes the words that a test gives to the solution: what is neither demanded nor expected. */
  private giveRest(root: TestNode): void {
    for (const node of nodesIn(root)) {
      const isStatement = node.kind === 'block' || node.kind === 'test' || node.kind === 'function'
      for (const part of [node, ...node.parts]) {
        if (this.demanding.has(part) || (isStatement && part.kind === 'text')) continue
        const isValue = part.kind === 'text' || part.kind === 'constant' || part.kind === 'pair'
        if (!isValue || (part === node && part.kind === 'text')) continue
        this.given.add(part.word)
        for (const word of part.word.match(/[\w$.-]+|\w+/g) ?? []) this.given.add(word)
        for (const word of part.word.match(/\w+/g) ?? []) this.given.add(word)
      }
    }
  }
}

function isPathCall(name: string): boolean {
  return joins.test(name) || fileReads.test(name)
}

function textsIn(node: TestNode): readonly string[] {
  return nodesIn(node).flatMap(({ kind, word }) => (kind === 'text' && word.trim() !== '' ? [word.trim()] : []))
}

/** A program, or its script, that is known only when the test runs. */
const unknown: CommandWord = { word: '', at: -1 }
