import { parseScript, type ScriptNode, scriptChild, scriptChildren } from '@jurist/workspace/internal'
import { made, type TestGrammar, type TestNode, testReader } from './test-node.js'

/** Reads a test in JavaScript or TypeScript. */
export async function scriptTest(source: string, path: string): Promise<TestNode | undefined> {
  const parsed = await parseScript(source, path)
  return 'message' in parsed ? undefined : testReader(source, script).read(parsed.file)
}

const layout: ReadonlySet<string> = new Set(['loc', 'extra', 'tokens', 'comments', 'errors', 'range'])
const wholeComparisons = /^(?:===?|!==?|[<>]=?|in|instanceof)$/

const script: TestGrammar<ScriptNode> = {
  inField,
  // Types of TypeScript are no part of a test.
  childrenOf: (node) =>
    node.type.startsWith('TS')
      ? []
      : Object.keys(node).flatMap((field) => (layout.has(field) ? [] : inField(node, field))),
  forms: {
    ArrayExpression: ['list', 'elements'],
    ArrayPattern: ['list', 'elements'],
    AssignmentExpression: ['assign', 'left', 'right'],
    BigIntLiteral: ['constant'],
    BooleanLiteral: ['constant'],
    ForInStatement: ['loop', 'left', 'right', 'body'],
    ForOfStatement: ['loop', 'left', 'right', 'body'],
    IfStatement: ['branch', 'test', 'consequent', 'alternate'],
    LogicalExpression: ['logic', 'left', 'right'],
    NullLiteral: ['constant'],
    NumericLiteral: ['constant'],
    ObjectExpression: ['object', 'properties'],
    ObjectPattern: ['object', 'properties'],
    RegExpLiteral: ['constant'],
    TaggedTemplateExpression: ['call', 'tag', 'quasi'],
    ThisExpression: ['name'],
    ThrowStatement: ['raise', 'argument'],
  },
  special({ all, fields, text }) {
    const child = (node: ScriptNode, ...names: readonly string[]) => fields(node, ...names)[0] ?? made(node, 'block')
    const named = (node: ScriptNode) =>
      made(node, 'function', nameIn(scriptChild(node, 'id') ?? scriptChild(node, 'key')), fields(node, 'body'))
    const held = (node: ScriptNode) => child(node, 'expression', 'argument')

    function member(node: ScriptNode): TestNode {
      const property = scriptChild(node, 'property')
      if (node['computed'] === true) return made(node, 'item', '', fields(node, 'object', 'property'))
      return { ...made(node, 'member', nameIn(property), fields(node, 'object')), start: property?.start ?? node.start }
    }

    function call(node: ScriptNode): TestNode {
      const callee = child(node, 'callee')
      const args = fields(node, 'arguments')
      const name = text(scriptChild(node, 'callee'))
      const last = args.findLast(({ kind }) => kind === 'function')
      const isTest = /^(?:test|it)(?:\.\w+)*$|^(?:test|it)\.\w+[(`]/.test(name)
      const [title] = args
      if (isTest && title !== undefined && (last !== undefined || title.kind === 'text') && title !== last) {
        const isEmpty = /\.each\(\s*\[\s*\]\s*\)$/.test(name)
        const idle = /\.(?:skip|todo|fixme)\b/.test(name) ? 'skipped' : isEmpty ? 'empty' : undefined
        const parts = [...(callee.kind === 'call' ? [callee] : []), ...(last === undefined ? [] : [last])]
        return { ...made(node, 'test', title.word, parts), ...(idle && { idle }) }
      }
      if (/^(?:describe|suite)\b/.test(name))
        return made(node, 'block', '', last === undefined ? [callee] : [callee, last])
      const asserted = expectedIn(callee)
      if (asserted !== undefined) return made(node, 'check', callee.word, [...asserted, ...args])
      if (/^(?:not)?(?:deep)?(?:strict)?equal$/i.test(name)) return made(node, 'check', name, args.slice(0, 2))
      if (/^(?:assert|t|chai\.assert)(?:\.strict)?(?:\.\w+)?$/.test(name) && args.length > 0) {
        const sides = /^(?:assert|ok|truthy|isTrue|true)$/.test(callee.word) ? 1 : 2
        return made(node, 'check', callee.word, args.slice(0, sides))
      }
      const [over] = callee.parts
      if (callee.kind === 'member' && callee.word === 'forEach' && over !== undefined && last !== undefined) {
        const given = /^(?:async\s*)?\(?\s*(\w+)/.exec(text(scriptChildren(node, 'arguments')[args.indexOf(last)]))?.[1]
        return made(node, 'loop', '', [made(last, 'name', given), over, last])
      }
      return made(node, 'call', '', [callee, ...args])
    }

    return {
      ArrowFunctionExpression: named,
      AwaitExpression: held,
      BinaryExpression(node) {
        const sign = String(node['operator'])
        const kind = wholeComparisons.test(sign) ? 'compare' : 'operation'
        return made(node, kind, sign, fields(node, 'left', 'right'))
      },
      CallExpression: call,
      ClassMethod: named,
      // Some checks are only read, such as `expect(value).to.be.true`.
      ExpressionStatement(node) {
        const inner = child(node, 'expression')
        const asserted = inner.kind === 'member' ? expectedIn(inner) : undefined
        return asserted === undefined ? inner : made(node, 'check', inner.word, asserted)
      },
      FunctionDeclaration: named,
      FunctionExpression: named,
      Identifier: (node) => made(node, 'name', nameIn(node)),
      ImportDeclaration: (node) =>
        made(
          node,
          'import',
          textIn(scriptChild(node, 'source')),
          scriptChildren(node, 'specifiers').map((specifier) => {
            const [imported, local] = [scriptChild(specifier, 'imported'), scriptChild(specifier, 'local')]
            const place = imported ?? specifier
            const word = specifier.type === 'ImportDefaultSpecifier' ? 'default' : nameIn(imported) || '*'
            return made(place, 'pair', word, [made(place, 'name', nameIn(local))])
          }),
        ),
      MemberExpression: member,
      NewExpression: call,
      ObjectMethod: named,
      ObjectProperty(node) {
        if (node['computed'] === true) return child(node, 'value')
        const key = scriptChild(node, 'key')
        return made(key ?? node, 'pair', nameIn(key) || textIn(key), fields(node, 'value'))
      },
      OptionalCallExpression: call,
      OptionalMemberExpression: member,
      ParenthesizedExpression: held,
      ReturnStatement: held,
      SpreadElement: held,
      StringLiteral: (node) => made(node, 'text', textIn(node)),
      TemplateLiteral(node) {
        const fixed = scriptChildren(node, 'quasis').map((one) => {
          const { cooked } = one['value'] as { readonly cooked?: unknown }
          return made(one, 'text', String(cooked ?? ''))
        })
        const parts = fields(node, 'expressions')
        if (parts.length === 0) return made(node, 'text', fixed[0]?.word)
        return made(node, 'template', fixed.at(-1)?.word, [...fixed, ...parts])
      },
      TSAsExpression: held,
      TSNonNullExpression: held,
      TSSatisfiesExpression: held,
      UnaryExpression: (node) =>
        node['operator'] === '!' ? made(node, 'logic', '', fields(node, 'argument')) : child(node, 'argument'),
      VariableDeclarator(node) {
        const target = child(node, 'id')
        const init = scriptChild(node, 'init')
        if (init === undefined) return target
        const [, , module] = /^(?:await\s+import|require)\(\s*(['"])([^'"]*)\1\s*\)$/.exec(text(init)) ?? []
        if (module === undefined) return made(node, 'assign', '', [target, ...all([init])])
        const whole = made(target, 'pair', '*', [target])
        return made(node, 'import', module, target.kind === 'object' ? target.parts : [whole])
      },
    }
  },
}

/** The value that `expect(value).not.toBe` checks; `undefined` for any other callee. */
function expectedIn(callee: TestNode): readonly TestNode[] | undefined {
  let node: TestNode | undefined = callee
  while (node?.kind === 'member') node = node.parts[0]
  const [called, ...args] = node?.kind === 'call' ? node.parts : []
  return called?.kind === 'name' && called.word === 'expect' && node !== callee ? args.slice(0, 1) : undefined
}

function inField(node: ScriptNode, field: string): readonly ScriptNode[] {
  return Array.isArray(node[field]) ? scriptChildren(node, field) : [scriptChild(node, field) ?? []].flat()
}

function nameIn(node: ScriptNode | undefined): string {
  return String(node?.['name'] ?? '')
}

function textIn(node: ScriptNode | undefined): string {
  return node?.type === 'StringLiteral' ? String(node['value']) : ''
}
