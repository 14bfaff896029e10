import { type GrammarNode, grammarTree } from '@jurist/workspace/internal'
import { fieldOf } from '../mutate/language/grammar-source.js'
import type { TestNode } from './test-node.js'

/** Reads a test in Python. */
export async function pythonTest(source: string): Promise<TestNode | undefined> {
  const tree = await grammarTree('python', source)
  return 'message' in tree ? undefined : new PythonTestReader(source).read(tree)
}

class PythonTestReader {
  private readonly source: string

  constructor(source: string) {
    this.source = source
  }

  read(node: GrammarNode): TestNode {
    const { type, start, end } = node
    const made = (kind: TestNode['kind'], word: string, parts: readonly TestNode[] = []): TestNode => ({
      ...{ kind, start, end, word, parts },
    })
    const child = (field: string) => this.all([fieldOf(node, field)].flatMap((one) => one ?? []))
    const children = () => this.all(named(node))
    switch (type) {
      case 'assert_statement':
        return made('check', 'assert', children().slice(0, 1))
      case 'assignment':
      case 'named_expression':
        return made('assign', '', [...child('left'), ...child('name'), ...child('right'), ...child('value')])
      case 'as_pattern':
        return made('assign', '', children().toReversed())
      case 'attribute':
        return { ...made('member', this.text(fieldOf(node, 'attribute')), child('object')), start: nameStart(node) }
      case 'await':
      case 'expression_statement':
      case 'parenthesized_expression':
      case 'return_statement':
      case 'as_pattern_target':
        return children().length === 1 ? (children()[0] as TestNode) : made('block', '', children())
      case 'binary_operator':
        return made('operation', this.text(fieldOf(node, 'operator')), [...child('left'), ...child('right')])
      case 'boolean_operator':
      case 'not_operator':
        return made('logic', '', children())
      case 'call':
        return this.readCall(node)
      case 'comparison_operator': {
        const signs = node.children.filter(({ field }) => field === 'operators').map((one) => this.text(one))
        return made('compare', signs.join(' '), this.all(named(node).filter(({ field }) => field !== 'operators')))
      }
      case 'concatenated_string':
        return children().every(({ kind }) => kind === 'text')
          ? made(
              'text',
              children()
                .map(({ word }) => word)
                .join(''),
            )
          : made('template', children().at(-1)?.word ?? '', children())
      case 'decorated_definition':
        return this.readDecorated(node)
      case 'dictionary':
        return made('object', '', children())
      case 'dictionary_comprehension':
      case 'generator_expression':
      case 'lambda':
      case 'list_comprehension':
      case 'set_comprehension': {
        // What runs over the values is read before the body that uses them.
        const clauses = named(node).filter(({ type: one }) => one === 'for_in_clause')
        return made('function', '', [
          ...this.all(clauses),
          ...this.all(named(node).filter((one) => !clauses.includes(one))),
        ])
      }
      case 'false':
      case 'float':
      case 'integer':
      case 'none':
      case 'true':
        return made('constant', this.text(node))
      case 'for_in_clause':
        return made('assign', '', [...child('left'), ...child('right')])
      case 'for_statement':
        return made('loop', '', [...child('left'), ...child('right'), ...child('body')])
      case 'function_definition': {
        const word = this.text(fieldOf(node, 'name'))
        return made(/^test/.test(word) ? 'test' : 'function', word, child('body'))
      }
      case 'identifier':
        return made('name', this.text(node))
      case 'if_statement':
      case 'elif_clause':
        return made('branch', '', [...child('condition'), ...child('consequence'), ...child('alternative')])
      case 'import_statement':
      case 'import_from_statement':
        return this.readImport(node)
      case 'keyword_argument':
        return { ...made('pair', this.text(fieldOf(node, 'name')), child('value')) }
      case 'list':
      case 'set':
      case 'tuple':
      case 'pattern_list':
      case 'expression_list':
        return made('list', '', children())
      case 'pair': {
        const [key] = child('key')
        if (key?.kind !== 'text') return made('block', '', children())
        return { kind: 'pair', start: key.start, end: key.end, word: key.word, parts: child('value') }
      }
      case 'raise_statement':
        return made('raise', '', children())
      case 'string':
        return this.readString(node)
      case 'subscript':
        return made('item', '', [...child('value'), ...child('subscript')])
      case 'type':
        return made('block', '')
    }
    return made('block', '', children())
  }

  private all(nodes: readonly GrammarNode[]): readonly TestNode[] {
    return nodes.map((one) => this.read(one))
  }

  private text(node: GrammarNode | undefined): string {
    return node === undefined ? '' : this.source.slice(node.start, node.end)
  }

  private readCall(node: GrammarNode): TestNode {
    const { start, end } = node
    const name = this.text(fieldOf(node, 'function'))
    const args = this.all(named(fieldOf(node, 'arguments') ?? node))
    const asserted = /^self\.(assert\w+)$/.exec(name)?.[1]
    if (asserted !== undefined && !/Raises|Warns|Logs/.test(asserted)) {
      const sides = /True|False|None$/.test(asserted) ? 1 : 2
      return { kind: 'check', start, end, word: asserted, parts: args.slice(0, sides) }
    }
    const callee = fieldOf(node, 'function')
    return {
      kind: 'call',
      start,
      end,
      word: '',
      parts: [...(callee === undefined ? [] : [this.read(callee)]), ...args],
    }
  }

  private readDecorated(node: GrammarNode): TestNode {
    const inner = named(node).at(-1)
    const decorators = named(node).filter(({ type }) => type === 'decorator')
    const texts = decorators.map((one) => this.text(one))
    const test = inner === undefined ? undefined : this.read(inner)
    const isSkipped = texts.some((one) => /\bskip\b/i.test(one))
    const isEmpty = texts.some((one) => /parametrize\([^[\]]*,\s*(?:\[\s*\]|\(\s*\))/.test(one))
    const idle = isSkipped ? { idle: 'skipped' as const } : isEmpty ? { idle: 'empty' as const } : {}
    const { start, end } = node
    const parts = this.all(decorators.flatMap(named))
    if (test?.kind !== 'test')
      return { kind: 'block', start, end, word: '', parts: [...parts, ...(test === undefined ? [] : [test])] }
    return { ...test, ...idle, parts: [...parts, ...test.parts] }
  }

  private readImport(node: GrammarNode): TestNode {
    const { start, end } = node
    const from = fieldOf(node, 'module_name')
    const names = node.children.filter(({ field }) => field === 'name')
    const parts = names.map((one): TestNode => {
      const name = one.type === 'aliased_import' ? fieldOf(one, 'name') : one
      const local = one.type === 'aliased_import' ? fieldOf(one, 'alias') : one
      const place = { start: one.start, end: one.end }
      const known = this.text(local)
      const word = from === undefined ? `* ${this.text(name)}` : this.text(name)
      return {
        kind: 'pair',
        ...place,
        word,
        parts: [{ kind: 'name', ...place, word: known.split('.')[0] ?? '', parts: [] }],
      }
    })
    return { kind: 'import', start, end, word: this.text(from), parts }
  }

  private readString(node: GrammarNode): TestNode {
    const { start, end } = node
    const inside = named(node).filter(({ type }) => type === 'interpolation')
    const [, , word = ''] = /^[A-Za-z]*("""|'''|"|')([\s\S]*)\1$/.exec(this.text(node)) ?? []
    if (inside.length === 0) return { kind: 'text', start, end, word, parts: [] }
    const last = word.slice(word.lastIndexOf('}') + 1)
    const fixed = named(node)
      .filter(({ type }) => type === 'string_content')
      .map((one): TestNode => ({ kind: 'text', start: one.start, end: one.end, word: this.text(one), parts: [] }))
    return { kind: 'template', start, end, word: last, parts: [...fixed, ...this.all(inside)] }
  }
}

function nameStart(node: GrammarNode): number {
  return fieldOf(node, 'attribute')?.start ?? node.start
}

function named(node: GrammarNode): readonly GrammarNode[] {
  return node.children.filter(({ isNamed, type }) => isNamed && type !== 'comment')
}
