import {
  type GrammarNode,
  grammarTree,
  parseScript,
  type ScriptNode,
  scriptChild,
  scriptChildren,
  walkScript,
} from '@jurist/workspace/internal'
import { fieldOf } from '../mutate/language/grammar-source.js'
import { lineFinder } from '../mutate/mutants.js'
import type { VisibleTexts } from './choose-variants.js'
import { standardModules } from './variant.js'

/** A word that a hidden test demands, and that a solver must guess. */
export interface HiddenDemand {
  /** `name`: imported from the code under test; `member`: of its values; `message`: the text of an error. */
  readonly kind: 'name' | 'member' | 'message' | 'path' | 'variable'
  readonly word: string
  /** The hidden test, and the line of the word, counted from 1. */
  readonly path: string
  readonly line: number
}

/** The demands of the hidden tests of an item. */
export interface HiddenDemands {
  readonly demands: readonly HiddenDemand[]
  /** Hidden tests that cannot be read: nothing is said of them. */
  readonly notChecked: readonly string[]
}

type Demand = Pick<HiddenDemand, 'kind' | 'word'> & { readonly at: number }

/**
 * Finds words that the hidden tests of an item demand, and that neither its task nor a file that agents see says. Values that a solution
 * computes are not looked at.
 */
export async function hiddenDemands(tests: ReadonlyMap<string, string>, visible: VisibleTexts): Promise<HiddenDemands> {
  const said = saidIn(visible)
  const [found, notChecked] = [new Map<string, HiddenDemand>(), [] as string[]]
  for (const [path, text] of tests) {
    const demands = await demandsIn(path, text)
    if (demands === undefined) notChecked.push(path)
    const lineOf = lineFinder(text)
    for (const { kind, word, at } of demands ?? [])
      if (!found.has(word) && !said(word)) found.set(word, { kind, word, path, line: lineOf(at) })
  }
  return { demands: [...found.values()], notChecked }
}

async function demandsIn(path: string, text: string): Promise<readonly Demand[] | undefined> {
  if (/\.[cm]?[jt]sx?$/.test(path)) return scriptDemands(text, path)
  return path.endsWith('.py') ? pythonDemands(text) : undefined
}

/** Whether something says a word: also in other letters, with other signs between its parts, or in the plural. */
function saidIn({ task, tests, files }: VisibleTexts): (word: string) => boolean {
  const whole = [task, ...tests, ...files.keys(), ...files.values()].join('\n').toLowerCase()
  const words = new Set((whole.match(/[\w$-]+/g) ?? []).map(plain))
  // Parts of a name may be words of a sentence.
  const letters = plain(whole)
  return (word) => {
    const short = plain(word)
    return (
      short.length < 3 ||
      words.has(short) ||
      words.has(`${short}s`) ||
      words.has(short.replace(/e?s$/, '')) ||
      (short.length > 7 && letters.includes(short))
    )
  }
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** Members of built-in values, which no solver must guess. */
const builtIn: ReadonlySet<string> = new Set(
  [
    Object,
    Function,
    Array,
    String,
    Number,
    Boolean,
    Date,
    RegExp,
    Map,
    Set,
    Promise,
    Error,
    Symbol,
    BigInt,
    Uint8Array,
    ArrayBuffer,
    URL,
    JSON,
    Math,
  ]
    .flatMap((one) => [
      ...Object.getOwnPropertyNames(one),
      ...Object.getOwnPropertyNames('prototype' in one ? one.prototype : one),
    ])
    .concat([
      'default',
      'mock',
      'calls',
      'results',
      'next',
      'value',
      'done',
      'message',
      'code',
      'stack',
      'cause',
      'status',
      'body',
      'mockReturnValue',
      'mockResolvedValue',
      'mockImplementation',
    ]),
)

const mostNodes = 200_000

async function scriptDemands(source: string, path: string): Promise<readonly Demand[] | undefined> {
  const parsed = await parseScript(source, path)
  if ('message' in parsed) return undefined
  const nodes: ScriptNode[] = []
  if (walkScript(parsed.file, mostNodes, (node) => nodes.push(node)) > mostNodes) return undefined
  nodes.sort((a, b) => a.start - b.start)
  const found: Demand[] = []
  const own = new Set<string>()
  for (const node of nodes) {
    const from = node.type === 'ImportDeclaration' ? scriptChild(node, 'source') : undefined
    if (from !== undefined && /^\.{1,2}\//.test(String(from['value'])))
      for (const specifier of scriptChildren(node, 'specifiers')) {
        const imported = scriptChild(specifier, 'imported')
        own.add(nameOf(scriptChild(specifier, 'local')))
        if (imported?.type === 'Identifier') found.push({ kind: 'name', word: nameOf(imported), at: imported.start })
      }
    if (node.type === 'VariableDeclarator') readDeclared(node)
    if (node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression') readMember(node)
    if (node.type === 'CallExpression') found.push(...messagesOf(node), ...pathsOf(node))
  }
  return found.filter(({ word }) => word !== 'default')

  function readDeclared(node: ScriptNode): void {
    const [id, init] = [scriptChild(node, 'id'), scriptChild(node, 'init')]
    if (id === undefined || init === undefined) return
    const required = /^(?:await\s+import|require)\(\s*['"]\.{1,2}\//.test(source.slice(init.start, init.end))
    if (!required && !isOwn(init)) return
    if (id.type === 'Identifier') own.add(nameOf(id))
    for (const property of id.type === 'ObjectPattern' ? scriptChildren(id, 'properties') : []) {
      const [key, value] = [scriptChild(property, 'key'), scriptChild(property, 'value')]
      if (key?.type !== 'Identifier' || property['computed'] === true) continue
      if (required) own.add(nameOf(value))
      const kind = required ? 'name' : 'member'
      if (!builtIn.has(nameOf(key))) found.push({ kind, word: nameOf(key), at: key.start })
    }
  }

  /** Whether a value comes from the code under test. */
  function isOwn(node: ScriptNode | undefined): boolean {
    if (node === undefined) return false
    if (node.type === 'Identifier') return own.has(nameOf(node))
    return isOwn(scriptChild(node, 'callee') ?? scriptChild(node, 'object') ?? scriptChild(node, 'argument'))
  }

  function readMember(node: ScriptNode): void {
    const [object, property] = [scriptChild(node, 'object'), scriptChild(node, 'property')]
    if (property?.type !== 'Identifier' || node['computed'] === true) return
    const word = nameOf(property)
    if (source.slice(object?.start, object?.end) === 'process.env')
      found.push({ kind: 'variable', word, at: property.start })
    else if (!builtIn.has(word) && isOwn(object)) found.push({ kind: 'member', word, at: property.start })
  }
}

function nameOf(node: ScriptNode | undefined): string {
  return String(node?.['name'] ?? '')
}

/** The texts of errors that a test compares for equality or inclusion. */
function messagesOf(node: ScriptNode): readonly Demand[] {
  const callee = scriptChild(node, 'callee')
  const called = nameOf(callee?.type === 'MemberExpression' ? scriptChild(callee, 'property') : callee)
  const values = scriptChildren(node, 'arguments')
  if (/^toThrow(?:Error)?$/.test(called)) return texts(values.slice(0, 1))
  if (!/^(?:throws|rejects)$/.test(called)) return []
  const properties = values.flatMap((value) =>
    value.type === 'ObjectExpression' ? scriptChildren(value, 'properties') : [],
  )
  return texts(
    properties.flatMap((one) =>
      nameOf(scriptChild(one, 'key')) === 'message' ? (scriptChild(one, 'value') ?? []) : [],
    ),
  )
}

function texts(values: readonly ScriptNode[], kind: Demand['kind'] = 'message'): readonly Demand[] {
  return values.flatMap((one) =>
    one.type === 'StringLiteral' && String(one['value']).length > 2
      ? [{ kind, word: String(one['value']), at: one.start }]
      : [],
  )
}

/** The files that a test reads, by the last constant part of their paths. */
function pathsOf(node: ScriptNode): readonly Demand[] {
  const callee = scriptChild(node, 'callee')
  const called = nameOf(callee?.type === 'MemberExpression' ? scriptChild(callee, 'property') : callee)
  if (!/^(?:readFile|existsSync|readFileSync|statSync|stat|access|accessSync)$/.test(called)) return []
  const [path] = scriptChildren(node, 'arguments')
  const parts =
    path?.type === 'CallExpression' ? scriptChildren(path, 'arguments').slice(-1) : path === undefined ? [] : [path]
  return texts(parts, 'path').map((one) => ({ ...one, word: one.word.replace(/^.*\//, '') }))
}

const testTools = /^(?:pytest|unittest|hypothesis|numpy|pandas|mock|typing|__future__)$/

async function pythonDemands(source: string): Promise<readonly Demand[] | undefined> {
  const root = await grammarTree('python', source)
  if ('message' in root) return undefined
  const text = (node: GrammarNode | undefined) => (node === undefined ? '' : source.slice(node.start, node.end))
  const [found, own]: [Demand[], Set<string>] = [[], new Set()]
  const isOwn = (node: GrammarNode | undefined): boolean => {
    if (node?.type === 'identifier') return own.has(text(node))
    return node !== undefined && isOwn(fieldOf(node, 'function') ?? fieldOf(node, 'object'))
  }
  const waiting: GrammarNode[] = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    waiting.push(...node.children.toReversed())
    if (node.type === 'import_from_statement') readImport(node)
    if (node.type === 'assignment' && isOwn(fieldOf(node, 'right'))) own.add(text(fieldOf(node, 'left')))
    const member = node.type === 'attribute' ? fieldOf(node, 'attribute') : undefined
    if (member !== undefined && !pythonBuiltIn.test(text(member)) && isOwn(fieldOf(node, 'object')))
      found.push({ kind: 'member', word: text(member), at: member.start })
    if (node.type === 'call') readCall(node)
    if (node.type === 'subscript' && text(fieldOf(node, 'value')) === 'os.environ')
      addText('variable', fieldOf(node, 'subscript'))
  }
  return found

  function readImport(node: GrammarNode): void {
    const module = text(fieldOf(node, 'module_name'))
    const [first = ''] = module.split('.')
    if (testTools.test(first) || standardModules.has(first)) return
    for (const one of node.children.filter(({ field }) => field === 'name')) {
      const name = one.type === 'aliased_import' ? fieldOf(one, 'name') : one
      own.add(text(one.type === 'aliased_import' ? fieldOf(one, 'alias') : one))
      if (name !== undefined) found.push({ kind: 'name', word: text(name), at: name.start })
    }
  }

  function readCall(node: GrammarNode): void {
    const called = text(fieldOf(node, 'function'))
    const values = (fieldOf(node, 'arguments')?.children ?? []).filter(({ isNamed }) => isNamed)
    if (/^(?:open|Path|pathlib\.Path|os\.path\.exists)$/.test(called)) addText('path', values[0])
    if (called !== 'pytest.raises') return
    const match = values.find((one) => one.type === 'keyword_argument' && text(fieldOf(one, 'name')) === 'match')
    addText('message', match === undefined ? undefined : fieldOf(match, 'value'))
  }

  function addText(kind: Demand['kind'], node: GrammarNode | undefined): void {
    const [, , word = ''] = /^r?(["'])([^"'\n]+)\1$/.exec(node?.type === 'string' ? text(node) : '') ?? []
    const short = kind === 'path' ? word.replace(/^.*\//, '') : word.replaceAll('\\', '')
    if (node !== undefined && short.length > 2) found.push({ kind, word: short, at: node.start })
  }
}

const pythonBuiltIn =
  /^(?:__\w+__|append|extend|items|keys|values|get|pop|sort|sorted|strip|split|join|lower|upper|startswith|endswith|replace|format|count|index|copy|update|add|remove|insert|decode|encode|read|write|close|args|value|cache_clear|assert_\w+|return_value|side_effect|call_\w+|real|imag|shape|tolist)$/
