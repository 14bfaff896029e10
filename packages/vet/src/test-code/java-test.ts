import { type GrammarNode, grammarTree } from '@jurist/workspace/internal'
import { fieldOf } from '../mutate/language/grammar-source.js'
import type { TestNode } from './test-node.js'

/** Reads a test in Java. Types that it uses without an import, and that are not of Java itself, become imports. */
export async function javaTest(source: string): Promise<TestNode | undefined> {
  const tree = await grammarTree('java', source)
  if ('message' in tree) return undefined
  const reader = new JavaTestReader(source)
  const root = reader.read(tree)
  return { ...root, parts: [...reader.implicitImports(), ...root.parts] }
}

/** Types of `java.lang`, and those of `java.util` and `java.io` that imports with `*` bring. */
const known =
  /^(?:Object|String|StringBuilder|Integer|Long|Double|Float|Short|Byte|Boolean|Character|Number|Math|System|Thread|Runnable|Iterable|Comparable|Record|Enum|Class|Void|Process|ProcessBuilder|Runtime|Override|Deprecated|SuppressWarnings|FunctionalInterface|SafeVarargs|AutoCloseable|CharSequence|Throwable|\w*Exception|\w*Error|(?:\w*(?:List|Map|Set|Deque|Queue|Stream|Reader|Writer))|Arrays|Collections|Collectors|Optional\w*|Scanner|Random|Objects|Iterator|Paths?|Files?|\w*Socket|UR[IL]|Http\w+|UUID|BigDecimal|BigInteger|Duration|Instant|Local\w+|Supplier|Consumer|Function|Predicate|Callable|Test|\w*Each|\w*All|ParameterizedTest|\w+Source|DisplayName|Disabled|Nested|Assert\w*|Matchers|Mockito|T|E|K|V|[A-Z])$/

class JavaTestReader {
  private readonly source: string
  private readonly declared = new Set<string>()
  private readonly used = new Map<string, GrammarNode>()

  constructor(source: string) {
    this.source = source
  }

  implicitImports(): readonly TestNode[] {
    return [...this.used].flatMap(([word, { start, end }]) => {
      if (this.declared.has(word) || known.test(word)) return []
      const name: TestNode = { kind: 'name', start, end, word, parts: [] }
      const pair: TestNode = { kind: 'pair', start, end, word, parts: [name] }
      return [{ kind: 'import' as const, start, end, word: '.', parts: [pair] }]
    })
  }

  read(node: GrammarNode): TestNode {
    const { type, start, end } = node
    const made = (kind: TestNode['kind'], word: string, parts: readonly TestNode[] = []): TestNode => ({
      ...{ kind, start, end, word, parts },
    })
    const child = (field: string) => this.all([fieldOf(node, field)].flatMap((one) => one ?? []))
    const children = () => this.all(named(node))
    switch (type) {
      case 'array_access':
        return made('item', '', [...child('array'), ...child('index')])
      case 'array_initializer':
        return made('list', '', children())
      case 'assert_statement':
        return made('check', 'assert', children().slice(0, 1))
      case 'assignment_expression':
        return made('assign', '', [...child('left'), ...child('right')])
      case 'binary_expression': {
        const sign = this.text(fieldOf(node, 'operator'))
        const kind = /^(?:&&|\|\|)$/.test(sign) ? 'logic' : /^(?:[=!]=|[<>]=?)$/.test(sign) ? 'compare' : 'operation'
        return made(kind, sign, [...child('left'), ...child('right')])
      }
      case 'character_literal':
      case 'decimal_floating_point_literal':
      case 'decimal_integer_literal':
      case 'false':
      case 'null_literal':
      case 'true':
        return made('constant', this.text(node))
      case 'class_declaration':
      case 'enum_declaration':
      case 'interface_declaration':
      case 'record_declaration':
        this.declared.add(this.text(fieldOf(node, 'name')))
        return made('block', '', this.all(named(node).filter(({ field }) => field !== 'name')))
      case 'enhanced_for_statement':
        return made('loop', '', [...child('name'), ...child('value'), ...child('body')])
      case 'expression_statement':
      case 'parenthesized_expression':
      case 'return_statement':
        return children().length === 1 ? (children()[0] as TestNode) : made('block', '', children())
      case 'cast_expression':
        return child('value')[0] ?? made('block', '')
      case 'field_access': {
        const field = fieldOf(node, 'field')
        this.use(fieldOf(node, 'object'))
        return { ...made('member', this.text(field), child('object')), start: field?.start ?? start }
      }
      case 'identifier':
      case 'this':
        return made('name', this.text(node))
      case 'if_statement':
        return made('branch', '', [...child('condition'), ...child('consequence'), ...child('alternative')])
      case 'import_declaration':
        return this.readImport(node)
      case 'lambda_expression':
        return made('function', '', child('body'))
      case 'local_variable_declaration':
      case 'field_declaration': {
        const [of] = this.all([fieldOf(node, 'type')].flatMap((one) => one ?? []))
        const declarators = node.children.filter(({ field }) => field === 'declarator')
        return made(
          'block',
          '',
          declarators.map((one) => {
            const parts = [fieldOf(one, 'name'), fieldOf(one, 'value')].flatMap((part) => part ?? [])
            const [target, value] = this.all(parts)
            // A value has the members of its type.
            const typed = of === undefined ? [] : [of]
            const all = [target, value].flatMap((part) => part ?? [])
            return { kind: 'assign' as const, start: one.start, end: one.end, word: '', parts: [...all, ...typed] }
          }),
        )
      }
      case 'method_declaration':
        return this.readMethod(node)
      case 'method_invocation':
        return this.readCall(node)
      case 'object_creation_expression': {
        const of = child('type')
        return made('call', 'new', [...of, ...this.all(named(fieldOf(node, 'arguments') ?? node))])
      }
      case 'package_declaration':
        return made('block', '')
      case 'string_literal':
        return made(
          'text',
          this.text(node)
            .replace(/^"+|"+$/g, '')
            .replaceAll(/\\(["'\\])/g, '$1'),
        )
      case 'throw_statement':
        return made('raise', '', children())
      case 'type_identifier':
        this.use(node)
        return made('name', this.text(node))
    }
    return made('block', '', children())
  }

  private all(nodes: readonly GrammarNode[]): readonly TestNode[] {
    return nodes.map((one) => this.read(one))
  }

  private text(node: GrammarNode | undefined): string {
    return node === undefined ? '' : this.source.slice(node.start, node.end)
  }

  /** Notes a name that may be a type. */
  private use(node: GrammarNode | undefined): void {
    const word = this.text(node)
    if (node !== undefined && /^[A-Z]\w*[a-z]\w*$/.test(word) && !this.used.has(word)) this.used.set(word, node)
  }

  private readCall(node: GrammarNode): TestNode {
    const { start, end } = node
    const [object, called] = [fieldOf(node, 'object'), fieldOf(node, 'name')]
    this.use(object)
    const name = this.text(called)
    const args = this.all(named(fieldOf(node, 'arguments') ?? node))
    const on = object === undefined ? undefined : this.read(object)
    const place = { start: called?.start ?? start, end: called?.end ?? end }
    const callee: TestNode =
      on === undefined
        ? { kind: 'name', ...place, word: name, parts: [] }
        : { kind: 'member', ...place, word: name, parts: [on] }
    const made = (kind: TestNode['kind'], word: string, parts: readonly TestNode[]): TestNode => ({
      ...{ kind, start, end, word, parts },
    })
    if (/^(?:assert(?!That|Throws|All|DoesNotThrow|Timeout)\w+)$/.test(name))
      return made('check', name, args.slice(0, /True|False|Null/.test(name) ? 1 : 2))
    if (name === 'assertThat' && args.length > 1) return made('check', name, args.slice(0, 2))
    const asserted = on === undefined ? undefined : assertedIn(on)
    return asserted === undefined ? made('call', '', [callee, ...args]) : made('check', name, [...asserted, ...args])
  }

  private readMethod(node: GrammarNode): TestNode {
    const { start, end } = node
    const notes = this.text(node.children.find(({ type }) => type === 'modifiers'))
    const word = this.text(fieldOf(node, 'name'))
    const rest = named(node).filter(({ type, field }) => type !== 'modifiers' && field !== 'name')
    const isTest = /@(?:\w*Test|TestFactory)\b/.test(notes) || /^test[A-Z_]/.test(word)
    const idle = /@(?:Disabled|Ignore)\b/.test(notes) ? { idle: 'skipped' as const } : {}
    return { kind: isTest ? 'test' : 'function', start, end, word, parts: this.all(rest), ...idle }
  }

  private readImport(node: GrammarNode): TestNode {
    const { start, end } = node
    const path = this.text(node).replace(/^import\s+(?:static\s+)?|\s*;\s*$/g, '')
    const isStatic = /^import\s+static\b/.test(this.text(node))
    const parts = path.split('.')
    const name = parts.at(-1) ?? ''
    this.declared.add(name)
    const place = { start: end - 1 - name.length, end: end - 1 }
    // The class of a static import is demanded, too.
    const names = name === '*' ? [] : isStatic ? parts.slice(-2) : [name]
    return {
      ...{ kind: 'import', start, end, word: parts.slice(0, isStatic ? -2 : -1).join('.') },
      parts: names.map((word) => ({
        kind: 'pair',
        ...place,
        word,
        parts: [{ kind: 'name', ...place, word, parts: [] }],
      })),
    }
  }
}

/** The value that `assertThat(value).isEqualTo` checks; `undefined` for any other object. */
function assertedIn(object: TestNode): readonly TestNode[] | undefined {
  if (object.kind === 'check') return object.parts.slice(0, 1)
  const [called, ...args] = object.kind === 'call' ? object.parts : []
  return /^assertThat/.test(called?.word ?? '') ? args.slice(0, 1) : undefined
}

function named(node: GrammarNode): readonly GrammarNode[] {
  return node.children.filter(({ isNamed, type }) => isNamed && !/comment$/.test(type))
}
