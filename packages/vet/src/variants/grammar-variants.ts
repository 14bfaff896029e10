import { type GrammarNode, grammarTree } from '@jurist/workspace/internal'
import type { Span } from '../mutate/language/construct.js'
import { fieldOf, namedChildren, spanOf } from '../mutate/language/grammar-source.js'
import type { SourceEdit } from '../mutate/operators.js'
import {
  deeper,
  finalLineEnd,
  freshName,
  holds,
  indentAt,
  isWordIn,
  layoutVariants,
  messageVariants,
  mirrored,
  standardModules,
  swapped,
  type Variant,
  type VariantKind,
  variantOf,
} from './variant.js'

/** A source with its nodes, parents first. */
interface Tree {
  readonly source: string
  readonly nodes: readonly GrammarNode[]
  readonly text: (node: Span | undefined) => string
}

async function treeOf(grammar: 'java' | 'python', source: string): Promise<Tree | undefined> {
  const root = await grammarTree(grammar, source)
  if ('message' in root) return undefined
  return { source, nodes: below(root), text: (span) => (span === undefined ? '' : source.slice(span.start, span.end)) }
}

function below(root: GrammarNode): readonly GrammarNode[] {
  const [found, waiting]: [GrammarNode[], GrammarNode[]] = [[], [root]]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    found.push(node)
    for (const child of node.children.toReversed()) waiting.push(child)
  }
  return found
}

function typed(nodes: readonly GrammarNode[], types: RegExp): readonly GrammarNode[] {
  return nodes.filter(({ type }) => types.test(type))
}

function above(node: GrammarNode, types: RegExp): GrammarNode | undefined {
  let at = node.parent
  while (at !== null && !types.test(at.type)) at = at.parent
  return at ?? undefined
}

function renaming(
  kind: VariantKind,
  equality: Variant['equality'],
  { source, text }: Tree,
  own: readonly GrammarNode[],
): readonly Variant[] {
  const [first] = own
  if (first === undefined) return []
  const name = text(first)
  const fresh = freshName(source, name)
  const edits = own.map((node) => ({ ...spanOf(node), text: fresh }))
  return variantOf(kind, equality, `${name} → ${fresh}`, edits, [name])
}

/** A comparison from the other side, where both sides have no effect. */
function comparedFrom({ source }: Tree, left?: GrammarNode, right?: GrammarNode): readonly Variant[] {
  return left !== undefined && right !== undefined && isSteady(left) && isSteady(right)
    ? mirrored(source, left, right)
    : []
}

function isSteady({ type, children }: GrammarNode): boolean {
  if (/^(?:attribute|field_access|string|unary_operator|unary_expression)$/.test(type))
    return children.every((one) => !one.isNamed || isSteady(one))
  return /^(?:identifier|integer|float|none|true|false|null_literal|this|string_literal|string_start|string_content|string_end|character_literal|string_fragment|\w+_integer_literal|\w+_floating_point_literal)$/.test(
    type,
  )
}

/** Code that looks names up by their text. */
const pythonReflection =
  /\b(?:eval|exec|locals|globals|vars|getattr|setattr|delattr|hasattr|compile|inspect|__dict__|__slots__|__getattr\w*__|dataclass|namedtuple)\b/

/**
 * Returns the variants of a Python source; none if it does not parse.
 *
 * @param isUsed whether a name occurs in another source
 */
export async function pythonVariants(source: string, isUsed: (name: string) => boolean): Promise<readonly Variant[]> {
  const tree = await treeOf('python', source)
  if (tree === undefined) return []
  const { nodes } = tree
  const layout = layoutVariants(
    source,
    {
      comments: typed(nodes, /^comment$/).map(spanOf),
      fixed: typed(nodes, /^string$/).map(spanOf),
      // Quotes inside a string in braces are those of the outer string until Python 3.12.
      strings: typed(nodes, /^string$/)
        .filter((node) => above(node, /^interpolation$/) === undefined)
        .map(spanOf),
    },
    '#',
  )
  // A backslash joins lines, and indentation after it may be inside a statement of one line.
  const joined = /\\\r?\n/.test(source) || /\f/.test(source)
  const reflects = pythonReflection.test(source)
  return [
    ...layout.filter(({ kind }) => !(joined && kind === 'layout')),
    ...(reflects ? [] : [...pythonLocals(tree), ...pythonPrivate(tree, isUsed)]),
    ...pythonOrder(tree),
    ...typed(nodes, /^call$/).flatMap((node) => pythonErrors(tree, node)),
    ...typed(nodes, /^return_statement$/).flatMap((node) => pythonReturn(tree, node)),
    ...typed(nodes, /^if_statement$/).flatMap((node) => pythonElse(tree, node)),
    ...typed(nodes, /^comparison_operator$/).flatMap((node) => {
      const operands = namedChildren(node).filter(({ field }) => field !== 'operators')
      return operands.length === 2 ? comparedFrom(tree, operands[0], operands[1]) : []
    }),
    ...typed(nodes, /^not_operator$/).flatMap((node) => pythonDeMorgan(tree, node)),
    ...typed(nodes, /^call$/).flatMap((node) => pythonAlgorithm(tree, node)),
    ...typed(nodes, /^list$/).flatMap((node) => pythonCollection(tree, node)),
  ]
}

function pythonDeMorgan({ text }: Tree, node: GrammarNode): readonly Variant[] {
  const [outer] = namedChildren(node)
  const inside = outer?.type === 'parenthesized_expression' ? namedChildren(outer)[0] : undefined
  if (inside?.type !== 'boolean_operator' || text(inside).includes('#')) return []
  const operator = text(fieldOf(inside, 'operator')) === 'and' ? 'or' : 'and'
  const [left, right] = [text(fieldOf(inside, 'left')), text(fieldOf(inside, 'right'))]
  const edit = { ...spanOf(node), text: `(not (${left}) ${operator} not (${right}))` }
  return variantOf('equal-expression', 'form', 'De Morgan', [edit])
}

const pythonScopes =
  /^(?:function_definition|lambda|class_definition|list_comprehension|dictionary_comprehension|set_comprehension|generator_expression|module)$/

/** Local variables that only their function sees. */
function pythonLocals(tree: Tree): readonly Variant[] {
  const { nodes, text } = tree
  return typed(nodes, /^function_definition$/).flatMap((scope) => {
    const inside = below(scope)
    if (
      typed(inside, /^(?:global_statement|nonlocal_statement|match_statement|import_statement|import_from_statement)$/)
        .length > 0
    )
      return []
    const names = typed(inside, /^identifier$/)
    const bound = new Set(
      names.filter((node) => isPythonTarget(node) && above(node, pythonScopes) === scope).map((node) => text(node)),
    )
    return [...bound].flatMap((name) => {
      const all = names.filter((node) => text(node) === name)
      const own = all.filter((node) => !isPythonMember(node))
      const isOdd = own.some(
        (node) =>
          isPythonParameter(node) ||
          node.field === 'name' ||
          (isPythonTarget(node) && above(node, pythonScopes) !== scope) ||
          isShownName(node, tree),
      )
      return isOdd || name.startsWith('__') ? [] : renaming('rename-local', 'form', tree, own)
    })
  })
}

/** The name of an attribute, or of an argument that is passed by name. */
function isPythonMember({ parent, field }: GrammarNode): boolean {
  return (
    (parent?.type === 'attribute' && field === 'attribute') || (parent?.type === 'keyword_argument' && field === 'name')
  )
}

function isPythonParameter(node: GrammarNode): boolean {
  const list = above(node, /^(?:parameters|lambda_parameters|block|argument_list)$/)
  return list !== undefined && /parameters$/.test(list.type)
}

/** Whether an identifier is assigned: the target of `=`, `for`, `with`, `except`, or `:=`. */
function isPythonTarget(node: GrammarNode): boolean {
  let at = node
  while (at.parent !== null && /^(?:pattern_list|tuple_pattern|list_pattern|list_splat_pattern)$/.test(at.parent.type))
    at = at.parent
  const { parent, field } = at
  if (parent === null) return false
  if (/^(?:assignment|augmented_assignment|for_statement|for_in_clause)$/.test(parent.type)) return field === 'left'
  return (parent.type === 'named_expression' && field === 'name') || parent.type === 'as_pattern_target'
}

/** Whether an f-string prints the name beside its value, as `{x=}` does. */
function isShownName(node: GrammarNode, { text }: Tree): boolean {
  const place = above(node, /^(?:interpolation|string)$/)
  return place?.type === 'interpolation' && /=\s*(?:[!:][^{}]*)?\}$/.test(text(place))
}

/** `_x` of modules and classes that no other source uses. */
function pythonPrivate(tree: Tree, isUsed: (name: string) => boolean): readonly Variant[] {
  const { nodes, source, text } = tree
  const names = typed(nodes, /^identifier$/)
  const own = new Set(
    names.map((node) => text(node)).filter((name) => /^_[A-Za-z]\w*$/.test(name) && !name.endsWith('_')),
  )
  return [...own].flatMap((name) => {
    const all = names.filter((node) => text(node) === name)
    const isDeclared = all.some(
      (node) =>
        (isPythonTarget(node) && above(node, pythonScopes)?.type !== 'function_definition') ||
        (node.field === 'name' && /^(?:function|class)_definition$/.test(node.parent?.type ?? '')) ||
        (node.field === 'attribute' && node.parent?.field === 'left'),
    )
    const isOdd = all.some(
      (node) =>
        isPythonParameter(node) ||
        node.parent?.type === 'keyword_argument' ||
        above(node, /^(?:import_statement|import_from_statement|global_statement)$/) !== undefined ||
        isShownName(node, tree) ||
        // A member of another object may be declared elsewhere.
        (node.field === 'attribute' && !/^(?:self|cls|other)$/.test(text(node.parent?.children[0]))),
    )
    const isQuoted = typed(nodes, /^string_content$/).some((node) => isWordIn(text(node), name))
    const hasBase = all.some(({ field }) => field === 'attribute') && /^\s*class \w+\((?!object\))/m.test(source)
    return !isDeclared || isOdd || isQuoted || hasBase || isUsed(name)
      ? []
      : renaming('rename-private', 'inputs', tree, all)
  })
}

/** Whether a statement imports one module of the standard library. */
function isStandard(statement: string): boolean {
  return standardModules.has(/^import (\w+)$/.exec(statement)?.[1] ?? '')
}

/** Functions, imports and keys in another order. */
function pythonOrder(tree: Tree): readonly Variant[] {
  const { source, nodes, text } = tree
  const movable = (node: GrammarNode) => {
    if (node.type !== 'function_definition') return undefined
    const header = text({ start: node.start, end: fieldOf(node, 'body')?.start ?? node.end })
    // Defaults and types are evaluated where the function is defined.
    return /[=@]/.test(header.replaceAll(/=\s*(?:-?\d[\d.]*|None|True|False|"[^"]*"|'[^']*')/g, ''))
      ? undefined
      : header
  }
  const functions = typed(nodes, /^(?:module|block)$/).flatMap((node) => {
    if (node.type === 'block' && node.parent?.type !== 'class_definition') return []
    return pairs(namedChildren(node)).flatMap(([first, second]) => {
      const [one, other] = [movable(first), movable(second)]
      if (one === undefined || other === undefined || text({ start: first.end, end: second.start }).trim() !== '')
        return []
      const [name, next] = [text(fieldOf(first, 'name')), text(fieldOf(second, 'name'))]
      if (name === next || new RegExp(`\\b${name}\\b`).test(other) || new RegExp(`\\b${next}\\b`).test(one)) return []
      return variantOf('order-declarations', 'form', `${name} after ${next}`, swapped(source, first, second))
    })
  })
  const imports = pairs(namedChildren(nodes[0] as GrammarNode)).flatMap(([first, second]) =>
    isStandard(text(first)) && isStandard(text(second))
      ? variantOf('order-imports', 'form', 'imports in another order', swapped(source, first, second))
      : [],
  )
  const lists = typed(nodes, /^import_from_statement$/).flatMap((node) => {
    const [first, second] = node.children.filter(({ field }) => field === 'name')
    return first === undefined || second === undefined || !standardModules.has(text(fieldOf(node, 'module_name')))
      ? []
      : variantOf('order-imports', 'form', 'imports in another order', swapped(source, first, second))
  })
  const listing = /\.(?:items|keys|values)\(|\bjson\.dumps?\b|\blist\(/.test(source)
  const keys = typed(nodes, /^dictionary$/).flatMap((node) => {
    const [first, second] = listing ? [] : namedChildren(node)
    const isPlain = namedChildren(node).every((one) => one.type === 'pair' && fieldOf(one, 'key')?.type === 'string')
    const areSteady = [first, second].every((one) => one !== undefined && isSteady(fieldOf(one, 'value') ?? one))
    if (!isPlain || !areSteady || first === undefined || second === undefined) return []
    const [one, other] = [text(fieldOf(first, 'key')), text(fieldOf(second, 'key'))]
    const said = [one.slice(1, -1), other.slice(1, -1)]
    return one === other
      ? []
      : variantOf('order-keys', 'inputs', `${other} before ${one}`, swapped(source, first, second), said)
  })
  return [...functions, ...imports, ...lists, ...keys]
}

function pairs(nodes: readonly GrammarNode[]): readonly (readonly [GrammarNode, GrammarNode])[] {
  return nodes.slice(1).map((node, index) => [nodes[index] as GrammarNode, node] as const)
}

const pythonErrorNames =
  /^(?:ValueError|TypeError|KeyError|IndexError|RuntimeError|ArithmeticError|LookupError|NotImplementedError|Exception|ZeroDivisionError)$/

function pythonErrors({ source, text }: Tree, node: GrammarNode): readonly Variant[] {
  const callee = fieldOf(node, 'function')
  const name = text(callee)
  if (callee === undefined || node.parent?.type !== 'raise_statement' || !/(?:Error|Exception)$/.test(name)) return []
  const [message] = namedChildren(fieldOf(node, 'arguments') ?? node)
  const subclass = { ...spanOf(callee), text: `type("Specific${name}", (${name},), {})` }
  return [
    ...(pythonErrorNames.test(name)
      ? variantOf('error-subtype', 'inputs', `a subclass of ${name}`, [subclass], [name])
      : []),
    ...(message?.type === 'string' ? messageVariants(source, message) : []),
  ]
}

function pythonReturn({ source, text }: Tree, node: GrammarNode): readonly Variant[] {
  const [value] = namedChildren(node)
  if (value === undefined || node.parent?.type !== 'block' || text(node).includes('\n')) return []
  const before = text({ start: source.lastIndexOf('\n', node.start - 1) + 1, end: node.start })
  if (
    !/^(?:call|binary_operator|attribute|subscript|comparison_operator|boolean_operator|list_comprehension)$/.test(
      value.type,
    )
  )
    return []
  if (before.trim() !== '') return []
  const fresh = freshName(source, 'value')
  const edit = { ...spanOf(node), text: `${fresh} = ${text(value)}\n${before}return ${fresh}` }
  return variantOf('extract', 'inputs', 'a value is named before it is returned', [edit])
}

/** A small table of other algorithms, and files that a program writes as text. */
function pythonAlgorithm({ source, text }: Tree, node: GrammarNode): readonly Variant[] {
  const [name, args] = [text(fieldOf(node, 'function')), fieldOf(node, 'arguments')]
  if (args === undefined || /\b(?:dict|sorted)\s*=[^=]|\bdef (?:dict|sorted)\b/.test(source)) return []
  const given = args.type === 'argument_list' ? namedChildren(args) : []
  const [value] = given
  const make = (what: string, edit: SourceEdit) => variantOf('equal-algorithm', 'inputs', what, [edit], [`${name}(`])
  if (args.type === 'generator_expression' && /^(?:any|all|sum)$/.test(name))
    return make(`${name} of a list`, { ...spanOf(args), text: `([${text(args).slice(1, -1)}])` })
  if (given.length !== 1 || value === undefined || /argument|splat/.test(value.type)) return []
  if (/\.write_text$/.test(name)) return finalLineEnd(source, spanOf(value))
  const isSize = name === 'len' && value.type === 'call' && text(fieldOf(value, 'function')) === 'set'
  if (isSize)
    return make('set replaced by keys', { ...spanOf(fieldOf(value, 'function') ?? value), text: 'dict.fromkeys' })
  if (!/^(?:max|min)$/.test(name)) return []
  return make(`${name} by sorting`, { ...spanOf(node), text: `sorted${text(args)}[${name === 'max' ? -1 : 0}]` })
}

/** A tuple for a list that is only searched or gone through. */
function pythonCollection({ text }: Tree, node: GrammarNode): readonly Variant[] {
  const { parent, field } = node
  const isSearched = parent?.type === 'comparison_operator' && /^(?:not )?in$/.test(text(fieldOf(parent, 'operators')))
  const isLast = parent !== null && namedChildren(parent).at(-1) === node
  const isIterated = /^for_(?:statement|in_clause)$/.test(parent?.type ?? '') && field === 'right'
  const values = namedChildren(node)
  if (!(isSearched && isLast) && !isIterated) return []
  const end = values.length === 1 && !/,\s*\]$/.test(text(node)) ? ',)' : ')'
  const edit = { ...spanOf(node), text: `(${text(node).slice(1, -1)}${end}` }
  return variantOf('collection-kind', 'inputs', 'a tuple for a list', [edit])
}

/** `else` after a branch that returns. */
function pythonElse({ source, text }: Tree, node: GrammarNode): readonly Variant[] {
  const { parent } = node
  const then = fieldOf(node, 'consequence')
  const last = then === undefined ? undefined : namedChildren(then).at(-1)
  const isPlain =
    !node.children.some(({ type }) => /^(?:elif|else)_clause$/.test(type)) &&
    /^(?:return|raise)_statement$/.test(last?.type ?? '')
  if (!isPlain || parent?.type !== 'block') return []
  const rest = namedChildren(parent).filter(({ start }) => start > node.end)
  const [first, end] = [rest[0], rest.at(-1)]
  if (first === undefined || end === undefined) return []
  const code = text({ start: first.start, end: end.end })
  const indent = indentAt(source, node.start)
  const between = text({ start: node.end, end: first.start })
  if (/"""|'''|\\\n/.test(code) || between.trim() !== '' || !between.endsWith(`\n${indent}`)) return []
  const edits = [
    { start: node.end, end: first.start, text: `\n${indent}else:\n${indent}    ` },
    { start: first.start, end: end.end, text: deeper(code, '    ') },
  ]
  return variantOf('loop-form', 'inputs', 'the rest is in an else', edits)
}

/** Returns the variants of a Java source; none if it does not parse. */
export async function javaVariants(source: string): Promise<readonly Variant[]> {
  const tree = await treeOf('java', source)
  if (tree === undefined) return []
  const { nodes } = tree
  const layout = layoutVariants(
    source,
    {
      comments: typed(nodes, /comment$/).map(spanOf),
      fixed: typed(nodes, /^string_literal$/).map(spanOf),
      strings: [],
    },
    '//',
  )
  return [
    ...layout,
    ...javaLocals(tree),
    ...javaPrivate(tree),
    ...javaOrder(tree),
    ...typed(nodes, /^binary_expression$/).flatMap((node) =>
      comparedFrom(tree, fieldOf(node, 'left'), fieldOf(node, 'right')),
    ),
    ...typed(nodes, /^object_creation_expression$/).flatMap((node) => javaMessages(tree, node)),
    ...typed(nodes, /^while_statement$/).flatMap((node) => javaWhile(tree, node)),
  ]
}

/** The role of an identifier that is not a variable: a member, a method, a key of an annotation, a label. */
function isJavaMember({ parent, field }: GrammarNode): boolean {
  if (parent === null) return false
  if (parent.type === 'field_access') return field === 'field'
  if (parent.type === 'method_invocation') return field === 'name'
  return /^(?:method_reference|element_value_pair|labeled_statement|break_statement|continue_statement|scoped_identifier|switch_label|annotation|marker_annotation)$/.test(
    parent.type,
  )
}

/** Variables and parameters of methods that are declared once. */
function javaLocals(tree: Tree): readonly Variant[] {
  const { nodes, text } = tree
  return typed(nodes, /^(?:method_declaration|constructor_declaration)$/).flatMap((method) => {
    const inside = below(method)
    // Members of classes within a method may have the same names.
    if (typed(inside, /^(?:class_body|record_pattern|type_pattern)$/).length > 0) return []
    const names = typed(inside, /^identifier$/)
    // The constructor of a record names its parameters as the record does.
    const isFree = method.type === 'method_declaration'
    return names.flatMap((node) => {
      const owner = node.parent
      const isVariable = owner?.type === 'variable_declarator' && owner.parent?.type === 'local_variable_declaration'
      const isDeclared =
        node.field === 'name' &&
        (isVariable || (owner?.type === 'formal_parameter' && owner.parent?.parent === method && isFree))
      if (!isDeclared) return []
      const scope = isVariable
        ? above(node, /^(?:block|for_statement|constructor_body|switch_block_statement_group)$/)
        : method
      const own = names.filter((one) => text(one) === text(node) && !isJavaMember(one))
      const isSure =
        scope !== undefined &&
        own.every((one) => holds(scope, one) && (one.start >= node.start || method === scope)) &&
        own.filter(
          ({ parent, field }) =>
            field === 'name' || parent?.type === 'inferred_parameters' || parent?.type === 'lambda_expression',
        ).length === 1
      return isSure ? renaming('rename-local', 'form', tree, own) : []
    })
  })
}

/** Annotations and libraries that read the names of members. */
const javaReflection =
  /@(?!Override|SuppressWarnings|FunctionalInterface|Deprecated|SafeVarargs)\w|Serializable|reflect|gson|jackson/

/** Private fields of a file with one class. */
function javaPrivate(tree: Tree): readonly Variant[] {
  const { nodes, text, source } = tree
  if (javaReflection.test(source)) return []
  const classes = typed(
    nodes,
    /^(?:class_declaration|record_declaration|enum_declaration|interface_declaration|class_body)$/,
  )
  if (classes.filter(({ type }) => type !== 'class_body').length !== 1 || classes.length !== 2) return []
  const names = typed(nodes, /^identifier$/)
  return typed(nodes, /^field_declaration$/).flatMap((field) => {
    const isPrivate = /^[^;=]*\bprivate\b/.test(text(field)) && !/@/.test(text(field))
    const name = fieldOf(field.children.find(({ type }) => type === 'variable_declarator') ?? field, 'name')
    if (!isPrivate || name === undefined) return []
    const all = names.filter((node) => text(node) === text(name))
    const isSure = all.every(
      (node) =>
        node === name ||
        (node.field !== 'name' &&
          !(isJavaMember(node) && !(node.parent?.type === 'field_access' && text(node.parent.children[0]) === 'this'))),
    )
    const isBound = all.some(({ parent }) =>
      /^(?:inferred_parameters|lambda_expression|formal_parameter)$/.test(parent?.type ?? ''),
    )
    return isSure && !isBound ? renaming('rename-private', 'form', tree, all) : []
  })
}

function javaOrder({ source, nodes, text }: Tree): readonly Variant[] {
  const inside = typed(nodes, /^(?:program|class_body)$/).flatMap((node) => pairs(namedChildren(node)))
  return inside.flatMap(([first, second]) => {
    const between = text({ start: first.end, end: second.start }).trim()
    if (between !== '') return []
    if (first.type === 'import_declaration' && second.type === 'import_declaration')
      return variantOf('order-imports', 'form', 'imports in another order', swapped(source, first, second))
    if (first.type !== 'method_declaration' || second.type !== 'method_declaration') return []
    const [one, other] = [text(fieldOf(first, 'name')), text(fieldOf(second, 'name'))]
    return variantOf('order-declarations', 'form', `${one} after ${other}`, swapped(source, first, second))
  })
}

function javaMessages({ source, text }: Tree, node: GrammarNode): readonly Variant[] {
  const [message] = namedChildren(fieldOf(node, 'arguments') ?? node)
  const isError = /Exception$|Error$/.test(text(fieldOf(node, 'type')))
  return isError && message?.type === 'string_literal' ? messageVariants(source, message) : []
}

function javaWhile({ text }: Tree, node: GrammarNode): readonly Variant[] {
  const condition = fieldOf(node, 'condition')
  // `while (true)` is known not to end, so code after it may be missing.
  if (condition === undefined || text(condition).includes('//')) return []
  const edit = { start: node.start, end: condition.end, text: `for (; ${text(condition).slice(1, -1)};)` }
  return variantOf('loop-form', 'form', 'while → for', [edit], ['while'])
}
