import { type GrammarNode, grammarTree } from '@jurist/workspace/internal'
import { fieldOf, inField, namedChildren } from '../mutate/language/grammar-source.js'
import { made, type TestGrammar, type TestNode, testReader } from './test-node.js'

/** Reads a test in Python. */
export async function pythonTest(source: string): Promise<TestNode | undefined> {
  const tree = await grammarTree('python', source)
  return 'message' in tree ? undefined : testReader(source, python).read(tree)
}

const python: TestGrammar<GrammarNode> = {
  childrenOf: namedChildren,
  inField,
  forms: {
    assignment: ['assign', 'left', 'right'],
    boolean_operator: ['logic'],
    dictionary: ['object'],
    elif_clause: ['branch', 'condition', 'consequence', 'alternative'],
    expression_list: ['list'],
    false: ['constant'],
    float: ['constant'],
    for_in_clause: ['assign', 'left', 'right'],
    for_statement: ['loop', 'left', 'right', 'body'],
    identifier: ['name'],
    if_statement: ['branch', 'condition', 'consequence', 'alternative'],
    integer: ['constant'],
    list: ['list'],
    named_expression: ['assign', 'name', 'value'],
    none: ['constant'],
    not_operator: ['logic'],
    pattern_list: ['list'],
    raise_statement: ['raise'],
    set: ['list'],
    subscript: ['item', 'value', 'subscript'],
    true: ['constant'],
    tuple: ['list'],
  },
  special({ read, all, fields, text }) {
    const children = (node: GrammarNode) => all(namedChildren(node))
    /** Stands for the only node that it holds. */
    function held(node: GrammarNode): TestNode {
      const [only, ...others] = children(node)
      return only !== undefined && others.length === 0 ? only : made(node, 'block', '', children(node))
    }
    /** What runs over the values is read before the body that uses them. */
    function comprehension(node: GrammarNode): TestNode {
      const isClause = ({ type }: GrammarNode) => type === 'for_in_clause'
      const inside = namedChildren(node)
      return made(node, 'function', '', [
        ...all(inside.filter(isClause)),
        ...all(inside.filter((one) => !isClause(one))),
      ])
    }
    function imported(node: GrammarNode): TestNode {
      const from = fieldOf(node, 'module_name')
      const names = node.children.filter(({ field }) => field === 'name')
      const parts = names.map((one): TestNode => {
        const isAliased = one.type === 'aliased_import'
        const name = text(isAliased ? fieldOf(one, 'name') : one)
        const local = text(isAliased ? fieldOf(one, 'alias') : one)
        const known = made(one, 'name', local.split('.')[0] ?? '')
        return made(one, 'pair', from === undefined ? `* ${name}` : name, [known])
      })
      return made(node, 'import', text(from), parts)
    }
    return {
      as_pattern: (node) => made(node, 'assign', '', children(node).toReversed()),
      as_pattern_target: held,
      assert_statement: (node) => made(node, 'check', 'assert', children(node).slice(0, 1)),
      attribute(node) {
        const name = fieldOf(node, 'attribute')
        const member = made(node, 'member', text(name), fields(node, 'object'))
        return { ...member, start: name?.start ?? node.start }
      },
      await: held,
      binary_operator: (node) =>
        made(node, 'operation', text(fieldOf(node, 'operator')), fields(node, 'left', 'right')),
      call(node) {
        const callee = fieldOf(node, 'function')
        const args = children(fieldOf(node, 'arguments') ?? node)
        const asserted = /^self\.(assert\w+)$/.exec(text(callee))?.[1]
        if (asserted !== undefined && !/Raises|Warns|Logs/.test(asserted))
          return made(node, 'check', asserted, args.slice(0, /True|False|None$/.test(asserted) ? 1 : 2))
        return made(node, 'call', '', [...fields(node, 'function'), ...args])
      },
      comparison_operator(node) {
        const signs = node.children.filter(({ field }) => field === 'operators').map((one) => text(one))
        const operands = namedChildren(node).filter(({ field }) => field !== 'operators')
        return made(node, 'compare', signs.join(' '), all(operands))
      },
      concatenated_string(node) {
        const parts = children(node)
        const words = parts.map(({ word }) => word)
        return parts.every(({ kind }) => kind === 'text')
          ? made(node, 'text', words.join(''))
          : made(node, 'template', words.at(-1), parts)
      },
      decorated_definition(node) {
        const inside = namedChildren(node)
        const decorators = inside.filter(({ type }) => type === 'decorator')
        const parts = all(decorators.flatMap(namedChildren))
        const [test] = all(inside.slice(-1))
        if (test?.kind !== 'test') return made(node, 'block', '', [...parts, ...(test === undefined ? [] : [test])])
        const texts = decorators.map(text)
        const isEmpty = texts.some((one) => /parametrize\([^[\]]*,\s*(?:\[\s*\]|\(\s*\))/.test(one))
        const idle = texts.some((one) => /\bskip\b/i.test(one)) ? 'skipped' : isEmpty ? 'empty' : undefined
        return { ...test, ...(idle && { idle }), parts: [...parts, ...test.parts] }
      },
      dictionary_comprehension: comprehension,
      expression_statement: held,
      function_definition(node) {
        const name = text(fieldOf(node, 'name'))
        return made(node, name.startsWith('test') ? 'test' : 'function', name, fields(node, 'body'))
      },
      generator_expression: comprehension,
      import_from_statement: imported,
      import_statement: imported,
      keyword_argument: (node) => made(node, 'pair', text(fieldOf(node, 'name')), fields(node, 'value')),
      lambda: comprehension,
      list_comprehension: comprehension,
      pair(node) {
        const [key] = fields(node, 'key')
        if (key?.kind !== 'text') return made(node, 'block', '', children(node))
        return made(key, 'pair', key.word, fields(node, 'value'))
      },
      parenthesized_expression: held,
      return_statement: held,
      set_comprehension: comprehension,
      string(node) {
        const inside = namedChildren(node).filter(({ type }) => type === 'interpolation')
        const [, , word = ''] = /^[A-Za-z]*("""|'''|"|')([\s\S]*)\1$/.exec(text(node)) ?? []
        if (inside.length === 0) return made(node, 'text', word)
        const fixed = namedChildren(node)
          .filter(({ type }) => type === 'string_content')
          .map((one) => made(one, 'text', text(one)))
        return made(node, 'template', word.slice(word.lastIndexOf('}') + 1), [...fixed, ...inside.map(read)])
      },
      type: (node) => made(node, 'block'),
    }
  },
}
