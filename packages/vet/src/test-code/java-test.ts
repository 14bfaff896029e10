import { type GrammarNode, grammarTree } from '@jurist/workspace/internal'
import { fieldOf, inField, namedChildren } from '../mutate/language/grammar-source.js'
import { made, type TestGrammar, type TestNode, testReader } from './test-node.js'

/** Reads a test in Java. Types that it uses without an import, and that are not of Java itself, become imports. */
export async function javaTest(source: string): Promise<TestNode | undefined> {
  const tree = await grammarTree('java', source)
  if ('message' in tree) return undefined
  const types: Types = { declared: new Set(), used: new Map() }
  const root = testReader(source, java(types)).read(tree)
  const implicit = [...types.used].flatMap(([word, place]) =>
    types.declared.has(word) || known.test(word)
      ? []
      : [made(place, 'import', '.', [made(place, 'pair', word, [made(place, 'name', word)])])],
  )
  return { ...root, parts: [...implicit, ...root.parts] }
}

/** Types of `java.lang`, and those of `java.util` and `java.io` that imports with `*` bring. */
const known =
  /^(?:Object|String|StringBuilder|Integer|Long|Double|Float|Short|Byte|Boolean|Character|Number|Math|System|Thread|Runnable|Iterable|Comparable|Record|Enum|Class|Void|Process|ProcessBuilder|Runtime|Override|Deprecated|SuppressWarnings|FunctionalInterface|SafeVarargs|AutoCloseable|CharSequence|Throwable|\w*Exception|\w*Error|(?:\w*(?:List|Map|Set|Deque|Queue|Stream|Reader|Writer))|Arrays|Collections|Collectors|Optional\w*|Scanner|Random|Objects|Iterator|Paths?|Files?|\w*Socket|UR[IL]|Http\w+|UUID|BigDecimal|BigInteger|Duration|Instant|Local\w+|Supplier|Consumer|Function|Predicate|Callable|Test|\w*Each|\w*All|ParameterizedTest|\w+Source|DisplayName|Disabled|Nested|Assert\w*|Matchers|Mockito|T|E|K|V|[A-Z])$/

/** The types that a file declares or imports, and those that it uses, with the first place of each. */
interface Types {
  readonly declared: Set<string>
  readonly used: Map<string, GrammarNode>
}

const java = ({ declared, used }: Types): TestGrammar<GrammarNode> => ({
  childrenOf: namedChildren,
  inField,
  forms: {
    array_access: ['item', 'array', 'index'],
    array_initializer: ['list'],
    assignment_expression: ['assign', 'left', 'right'],
    character_literal: ['constant'],
    decimal_floating_point_literal: ['constant'],
    decimal_integer_literal: ['constant'],
    enhanced_for_statement: ['loop', 'name', 'value', 'body'],
    false: ['constant'],
    identifier: ['name'],
    if_statement: ['branch', 'condition', 'consequence', 'alternative'],
    lambda_expression: ['function', 'body'],
    null_literal: ['constant'],
    this: ['name'],
    throw_statement: ['raise'],
    true: ['constant'],
  },
  special({ all, fields, text }) {
    const children = (node: GrammarNode) => all(namedChildren(node))
    const args = (node: GrammarNode) => children(fieldOf(node, 'arguments') ?? node)
    /** Notes a name that may be a type. */
    function use(node: GrammarNode | undefined): void {
      const word = text(node)
      if (node !== undefined && /^[A-Z]\w*[a-z]\w*$/.test(word) && !used.has(word)) used.set(word, node)
    }
    /** Stands for the only node that it holds. */
    function held(node: GrammarNode): TestNode {
      const [only, ...others] = children(node)
      return only !== undefined && others.length === 0 ? only : made(node, 'block', '', children(node))
    }
    function type(node: GrammarNode): TestNode {
      declared.add(text(fieldOf(node, 'name')))
      return made(node, 'block', '', all(namedChildren(node).filter(({ field }) => field !== 'name')))
    }
    /** A value has the members of its type. */
    function variables(node: GrammarNode): TestNode {
      const of = fields(node, 'type')
      const declarators = node.children.filter(({ field }) => field === 'declarator')
      const assigned = declarators.map((one) => made(one, 'assign', '', [...fields(one, 'name', 'value'), ...of]))
      return made(node, 'block', '', assigned)
    }
    return {
      assert_statement: (node) => made(node, 'check', 'assert', children(node).slice(0, 1)),
      binary_expression(node) {
        const sign = text(fieldOf(node, 'operator'))
        const kind = /^(?:&&|\|\|)$/.test(sign) ? 'logic' : /^(?:[=!]=|[<>]=?)$/.test(sign) ? 'compare' : 'operation'
        return made(node, kind, sign, fields(node, 'left', 'right'))
      },
      cast_expression: (node) => fields(node, 'value')[0] ?? made(node, 'block'),
      class_declaration: type,
      enum_declaration: type,
      expression_statement: held,
      field_access(node) {
        const field = fieldOf(node, 'field')
        use(fieldOf(node, 'object'))
        return { ...made(node, 'member', text(field), fields(node, 'object')), start: field?.start ?? node.start }
      },
      field_declaration: variables,
      import_declaration(node) {
        const isStatic = /^import\s+static\b/.test(text(node))
        const parts = text(node)
          .replace(/^import\s+(?:static\s+)?|\s*;\s*$/g, '')
          .split('.')
        const name = parts.at(-1) ?? ''
        declared.add(name)
        const place = { start: node.end - 1 - name.length, end: node.end - 1 }
        // The class of a static import is demanded, too.
        const names = name === '*' ? [] : isStatic ? parts.slice(-2) : [name]
        const pairs = names.map((word) => made(place, 'pair', word, [made(place, 'name', word)]))
        return made(node, 'import', parts.slice(0, isStatic ? -2 : -1).join('.'), pairs)
      },
      interface_declaration: type,
      local_variable_declaration: variables,
      method_declaration(node) {
        const notes = text(node.children.find((one) => one.type === 'modifiers'))
        const word = text(fieldOf(node, 'name'))
        const rest = namedChildren(node).filter((one) => one.type !== 'modifiers' && one.field !== 'name')
        const isTest = /@(?:\w*Test|TestFactory)\b/.test(notes) || /^test[A-Z_]/.test(word)
        const idle = /@(?:Disabled|Ignore)\b/.test(notes) ? { idle: 'skipped' as const } : {}
        return { ...made(node, isTest ? 'test' : 'function', word, all(rest)), ...idle }
      },
      method_invocation(node) {
        use(fieldOf(node, 'object'))
        const called = fieldOf(node, 'name')
        const name = text(called)
        const given = args(node)
        const [on] = fields(node, 'object')
        const callee = made(called ?? node, on === undefined ? 'name' : 'member', name, on === undefined ? [] : [on])
        if (/^(?:assert(?!That|Throws|All|DoesNotThrow|Timeout)\w+)$/.test(name))
          return made(node, 'check', name, given.slice(0, /True|False|Null/.test(name) ? 1 : 2))
        if (name === 'assertThat' && given.length > 1) return made(node, 'check', name, given.slice(0, 2))
        const asserted = on === undefined ? undefined : assertedIn(on)
        return asserted === undefined
          ? made(node, 'call', '', [callee, ...given])
          : made(node, 'check', name, [...asserted, ...given])
      },
      object_creation_expression: (node) => made(node, 'call', 'new', [...fields(node, 'type'), ...args(node)]),
      package_declaration: (node) => made(node, 'block'),
      parenthesized_expression: held,
      record_declaration: type,
      return_statement: held,
      string_literal(node) {
        const word = text(node).replace(/^"+|"+$/g, '')
        return made(node, 'text', word.replaceAll(/\\(["'\\])/g, '$1'))
      },
      type_identifier(node) {
        use(node)
        return made(node, 'name', text(node))
      },
    }
  },
})

/** The value that `assertThat(value).isEqualTo` checks; `undefined` for any other object. */
function assertedIn(object: TestNode): readonly TestNode[] | undefined {
  if (object.kind === 'check') return object.parts.slice(0, 1)
  const [called, ...args] = object.kind === 'call' ? object.parts : []
  return /^assertThat/.test(called?.word ?? '') ? args.slice(0, 1) : undefined
}
