import { parseScript, type ScriptNode, scriptChild, scriptChildren } from '@jurist/workspace/internal'
import type { TestNode } from './test-node.js'

/** Reads a test in JavaScript or TypeScript. */
export async function scriptTest(source: string, path: string): Promise<TestNode | undefined> {
  const parsed = await parseScript(source, path)
  return 'message' in parsed ? undefined : new ScriptTestReader(source).read(parsed.file)
}

const none = { start: 0, end: 0, kind: 'block', word: '', parts: [] } as const
const layout: ReadonlySet<string> = new Set(['loc', 'extra', 'tokens', 'comments', 'errors', 'range'])
const wholeComparisons = /^(?:===?|!==?|[<>]=?|in|instanceof)$/

class ScriptTestReader {
  private readonly source: string

  constructor(source: string) {
    this.source = source
  }

  read(node: ScriptNode | undefined): TestNode {
    if (node === undefined) return none
    const { type, start, end } = node
    const child = (field: string) => this.read(scriptChild(node, field))
    const children = (field: string) => scriptChildren(node, field).map((one) => this.read(one))
    const made = (kind: TestNode['kind'], word: string, parts: readonly TestNode[] = []) => ({
      ...{ kind, start, end, word, parts },
    })
    switch (type) {
      case 'AssignmentExpression':
        return made('assign', '', [child('left'), child('right')])
      case 'ArrayExpression':
      case 'ArrayPattern':
        return made('list', '', children('elements'))
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
      case 'ObjectMethod':
      case 'ClassMethod':
        return made('function', nameIn(scriptChild(node, 'id') ?? scriptChild(node, 'key')), [child('body')])
      case 'BigIntLiteral':
      case 'BooleanLiteral':
      case 'NullLiteral':
      case 'NumericLiteral':
      case 'RegExpLiteral':
        return made('constant', this.text(node))
      case 'BinaryExpression': {
        const sign = String(node['operator'])
        return made(wholeComparisons.test(sign) ? 'compare' : 'operation', sign, [child('left'), child('right')])
      }
      case 'CallExpression':
      case 'OptionalCallExpression':
      case 'NewExpression':
        return this.readCall(node)
      case 'ForInStatement':
      case 'ForOfStatement':
        return made('loop', '', [child('left'), child('right'), child('body')])
      case 'Identifier':
        return made('name', nameIn(node))
      case 'IfStatement':
        return made('branch', '', [child('test'), child('consequent'), child('alternate')])
      case 'ImportDeclaration':
        return made('import', textIn(scriptChild(node, 'source')), scriptChildren(node, 'specifiers').map(importedName))
      case 'LogicalExpression':
        return made('logic', '', [child('left'), child('right')])
      case 'MemberExpression':
      case 'OptionalMemberExpression': {
        const property = scriptChild(node, 'property')
        return node['computed'] === true
          ? made('item', '', [child('object'), this.read(property)])
          : { ...made('member', nameIn(property), [child('object')]), start: property?.start ?? start }
      }
      case 'ObjectExpression':
      case 'ObjectPattern':
        return made('object', '', children('properties'))
      case 'ObjectProperty':
        return node['computed'] === true ? child('value') : this.readPair(node)
      case 'StringLiteral':
        return made('text', textIn(node))
      case 'TaggedTemplateExpression':
        return made('call', '', [child('tag'), child('quasi')])
      case 'TemplateLiteral':
        return this.readTemplate(node)
      case 'ThisExpression':
        return made('name', 'this')
      case 'ThrowStatement':
        return made('raise', '', [child('argument')])
      case 'UnaryExpression':
        return node['operator'] === '!' ? made('logic', '', [child('argument')]) : child('argument')
      case 'VariableDeclarator':
        return this.readDeclared(node)
      case 'ExpressionStatement': {
        // Some checks are only read, such as `expect(value).to.be.true`.
        const inner = child('expression')
        const asserted = inner.kind === 'member' ? expectedIn(inner) : undefined
        return asserted === undefined ? inner : made('check', inner.word, asserted)
      }
      case 'AwaitExpression':
      case 'ParenthesizedExpression':
      case 'ReturnStatement':
      case 'SpreadElement':
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'TSSatisfiesExpression':
        return this.read(scriptChild(node, 'expression') ?? scriptChild(node, 'argument'))
    }
    if (type.startsWith('TS')) return { ...none, start, end }
    const inside = Object.keys(node).flatMap((field) => (layout.has(field) ? [] : partsOf(node, field)))
    return made(
      'block',
      '',
      inside.map((one) => this.read(one)),
    )
  }

  private text({ start, end }: ScriptNode): string {
    return this.source.slice(start, end)
  }

  private readPair(node: ScriptNode): TestNode {
    const [key, value] = [scriptChild(node, 'key'), scriptChild(node, 'value')]
    const { start = 0, end = 0 } = key ?? {}
    return { kind: 'pair', start, end, word: nameIn(key) || textIn(key), parts: [this.read(value)] }
  }

  private readTemplate(node: ScriptNode): TestNode {
    const { start, end } = node
    const fixed = scriptChildren(node, 'quasis').map((one) => {
      const { cooked } = one['value'] as { readonly cooked?: unknown }
      return { kind: 'text' as const, start: one.start, end: one.end, word: String(cooked ?? ''), parts: [] }
    })
    const parts = scriptChildren(node, 'expressions').map((one) => this.read(one))
    if (parts.length === 0) return { kind: 'text', start, end, word: fixed[0]?.word ?? '', parts }
    return { kind: 'template', start, end, word: fixed.at(-1)?.word ?? '', parts: [...fixed, ...parts] }
  }

  private readDeclared(node: ScriptNode): TestNode {
    const [id, init] = [scriptChild(node, 'id'), scriptChild(node, 'init')]
    const { start, end } = node
    if (init === undefined) return this.read(id)
    const [, , module] = /^(?:await\s+import|require)\(\s*(['"])([^'"]*)\1\s*\)$/.exec(this.text(init)) ?? []
    const target = this.read(id)
    if (module === undefined) return { kind: 'assign', start, end, word: '', parts: [target, this.read(init)] }
    const whole = { ...target, kind: 'pair' as const, word: '*', parts: [target] }
    return { kind: 'import', start, end, word: module, parts: target.kind === 'object' ? target.parts : [whole] }
  }

  private readCall(node: ScriptNode): TestNode {
    const { start, end } = node
    const callee = this.read(scriptChild(node, 'callee'))
    const args = scriptChildren(node, 'arguments').map((one) => this.read(one))
    const name = this.source.slice(scriptChild(node, 'callee')?.start, scriptChild(node, 'callee')?.end)
    const made = (kind: TestNode['kind'], word: string, parts: readonly TestNode[]): TestNode => ({
      ...{ kind, start, end, word, parts },
    })
    const last = args.findLast(({ kind }) => kind === 'function')
    const isTest = /^(?:test|it)(?:\.\w+)*$|^(?:test|it)\.\w+[(`]/.test(name)
    const [title] = args
    if (isTest && title !== undefined && (last !== undefined || title.kind === 'text') && title !== last) {
      const isSkipped = /\.(?:skip|todo|fixme)\b/.test(name)
      const isEmpty = /\.each\(\s*\[\s*\]\s*\)$/.test(name)
      const given = callee.kind === 'call' ? [callee] : []
      const idle = isSkipped ? { idle: 'skipped' as const } : isEmpty ? { idle: 'empty' as const } : {}
      return { ...made('test', title.word, [...given, ...(last === undefined ? [] : [last])]), ...idle }
    }
    if (/^(?:describe|suite)\b/.test(name)) return made('block', '', last === undefined ? [callee] : [callee, last])
    const asserted = expectedIn(callee)
    if (asserted !== undefined) return made('check', callee.word, [...asserted, ...args])
    if (/^(?:not)?(?:deep)?(?:strict)?equal$/i.test(name)) return made('check', name, args.slice(0, 2))
    if (/^(?:assert|t|chai\.assert)(?:\.strict)?(?:\.\w+)?$/.test(name) && args.length > 0)
      return made('check', callee.word, args.slice(0, /^(?:assert|ok|truthy|isTrue|true)$/.test(callee.word) ? 1 : 2))
    const [over] = callee.parts
    if (callee.kind === 'member' && /^forEach$/.test(callee.word) && over !== undefined && last !== undefined) {
      const given = /^(?:async\s*)?\(?\s*(\w+)/.exec(this.source.slice(last.start, last.end))?.[1] ?? ''
      return made('loop', '', [{ ...last, kind: 'name', word: given, parts: [] }, over, last])
    }
    return made('call', '', [callee, ...args])
  }
}

/** The value that `expect(value).not.toBe` checks; `undefined` for any other callee. */
function expectedIn(callee: TestNode): readonly TestNode[] | undefined {
  let node: TestNode | undefined = callee
  while (node?.kind === 'member') node = node.parts[0]
  const [called, ...args] = node?.kind === 'call' ? node.parts : []
  return called?.kind === 'name' && called.word === 'expect' && node !== callee ? args.slice(0, 1) : undefined
}

function importedName(specifier: ScriptNode): TestNode {
  const [imported, local] = [scriptChild(specifier, 'imported'), scriptChild(specifier, 'local')]
  const { start, end } = imported ?? specifier
  const word = specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameIn(imported) || '*'
  return { kind: 'pair', start, end, word, parts: [{ kind: 'name', start, end, word: nameIn(local), parts: [] }] }
}

function partsOf(node: ScriptNode, field: string): readonly ScriptNode[] {
  return Array.isArray(node[field]) ? scriptChildren(node, field) : [scriptChild(node, field) ?? []].flat()
}

function nameIn(node: ScriptNode | undefined): string {
  return String(node?.['name'] ?? '')
}

function textIn(node: ScriptNode | undefined): string {
  return node?.type === 'StringLiteral' ? String(node['value']) : ''
}
