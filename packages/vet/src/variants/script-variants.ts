import { parseScript, type ScriptNode, scriptChild, scriptChildren, walkScript } from '@jurist/workspace/internal'
import type { Span } from '../mutate/language/construct.js'
import { spanOf } from '../mutate/language/grammar-source.js'
import type { SourceEdit } from '../mutate/operators.js'
import {
  deeper,
  finalLineEnd,
  freshName,
  holds,
  indentAt,
  layoutVariants,
  messageVariants,
  mirrored,
  swapped,
  type Variant,
  variantOf,
} from './variant.js'

/** A node with its place in the tree. */
interface Place {
  readonly node: ScriptNode
  readonly parent: Place | undefined
  readonly field: string
}

interface Script {
  readonly source: string
  readonly places: readonly Place[]
  readonly names: readonly Name[]
  readonly isTyped: boolean
  /** Whether a name occurs in another source. */
  readonly isUsed: (name: string) => boolean
}

const mostNodes = 200_000
/** Code that reads the text of other code, or runs it in its own scope. */
const reflective = /\beval\s*\(|\bnew\s+Function\b|\bwith\s*\(|\bFunction\.prototype\.toString\b|\barguments\.callee\b/

/**
 * Returns the variants of a source in JavaScript or TypeScript; none if it does not parse.
 *
 * @param isUsed whether a name occurs in another source
 */
export async function scriptVariants(
  source: string,
  path: string,
  isUsed: (name: string) => boolean,
): Promise<readonly Variant[]> {
  const parsed = await parseScript(source, path)
  if ('message' in parsed) return []
  const { file } = parsed
  const places: Place[] = []
  const above = new Map<ScriptNode, Place>()
  const count = walkScript(file, mostNodes, (node) => {
    const place = above.get(node) ?? { node, parent: undefined, field: '' }
    places.push(place)
    for (const [field, value] of Object.entries(node))
      for (const one of Array.isArray(value) ? value : [value])
        if (isNode(one)) above.set(one, { node: one, parent: place, field })
  })
  if (count > mostNodes) return []
  const isTyped = /\.[cm]?tsx?$/.test(path)
  const script: Script = { source, places, names: places.flatMap(nameAt), isTyped, isUsed }
  const layout = layoutVariants(
    source,
    {
      comments: spans(file['comments']),
      fixed: spansOf(places, /^(?:TemplateLiteral|TemplateElement|JSXElement|JSXFragment|StringLiteral)$/),
      strings: places.flatMap(({ node, parent }) =>
        /^(?:StringLiteral|DirectiveLiteral)$/.test(node.type) && parent?.node.type !== 'JSXAttribute'
          ? [spanOf(node)]
          : [],
      ),
    },
    '//',
  )
  return [...layout, ...makers.flatMap((make) => make(script))]
}

function isNode(value: unknown): value is ScriptNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function spans(list: unknown): readonly Span[] {
  return Array.isArray(list) ? list.filter(isNode).map(spanOf) : []
}

function spansOf(places: readonly Place[], types: RegExp): readonly Span[] {
  return places.flatMap(({ node }) => (types.test(node.type) ? [spanOf(node)] : []))
}

function textOf(source: string, { start, end }: Span): string {
  return source.slice(start, end)
}

/** An occurrence of a name. */
interface Name extends Span {
  readonly place: Place
  readonly name: string
  /**
   * `binding` declares a variable, `use` refers to one, `property` names a member, `odd`: anything else, such as a type.
   */
  readonly role: 'binding' | 'use' | 'property' | 'odd'
  /** Whether it stands for both the key and the value of a property. */
  readonly isShorthand: boolean
  /** For a binding: where the name is visible, and what declares it. */
  readonly scope?: Place
  readonly declares?: 'variable' | 'parameter' | 'function' | 'import'
  /** For a variable: whether its value is a function or class, whose `name` is the variable's. */
  readonly isNamed?: boolean
}

const runTimeTypes = /^TS(?:As|Satisfies|NonNull|Instantiation)|^TSTypeAssertion$|^TSExportAssignment$/

function nameAt(place: Place): readonly Name[] {
  const { node, parent, field } = place
  if (node.type === 'JSXIdentifier') return [named(place, 'odd')]
  if (node.type !== 'Identifier' || parent === undefined) return []
  const owner = parent.node
  if (owner['computed'] !== true && /^(?:property|key)$/.test(field)) {
    // The value of a shorthand is a node of its own.
    return owner['shorthand'] === true ? [] : [named(place, 'property')]
  }
  if (/^(?:label|meta|imported|exported)$/.test(field) || owner.type === 'MetaProperty') return [named(place, 'odd')]
  const bound = bindingOf(place)
  if (bound !== undefined) return [{ ...named(place, 'binding'), ...bound }]
  const isType = owner.type.startsWith('TS') && !(runTimeTypes.test(owner.type) && field === 'expression')
  return [named(place, isType || owner.type === 'ExportSpecifier' ? 'odd' : 'use')]
}

function named(place: Place, role: Name['role']): Name {
  const name = String(place.node['name'])
  const { start } = place.node
  return { place, name, role, start, end: start + name.length, isShorthand: isShorthand(place) }
}

function isShorthand({ field, parent }: Place): boolean {
  if (parent?.node['shorthand'] === true) return field === 'value'
  return parent?.node.type === 'AssignmentPattern' && field === 'left' && isShorthand(parent)
}

/** The variable that an identifier declares, if it is part of a pattern that declares variables. */
function bindingOf(place: Place): Pick<Name, 'scope' | 'declares' | 'isNamed'> | undefined {
  let at = place
  while (at.parent !== undefined && isPattern(at)) at = at.parent
  const { parent, field } = at
  if (parent === undefined) return undefined
  const { type } = parent.node
  if (type === 'VariableDeclarator' && field === 'id') {
    const declaration = parent.parent
    const isFunctionWide = declaration?.node['kind'] === 'var'
    const value = scriptChild(parent.node, 'init')
    const isNamed = at === place && (value === undefined ? false : /Function|^Class/.test(value.type))
    const scope = enclosing(declaration, isFunctionWide ? functionScopes : blockScopes)
    return { declares: 'variable', isNamed, ...(scope && { scope }) }
  }
  if (field === 'params') return { declares: 'parameter', scope: parent }
  if (type === 'CatchClause' && field === 'param') return { declares: 'variable', scope: parent }
  if (field === 'id' && /Function|^Class/.test(type)) return { declares: 'function' }
  return /^Import.*Specifier$/.test(type) && field === 'local' ? { declares: 'import' } : undefined
}

function isPattern({ parent, field }: Place): boolean {
  const { type } = parent?.node ?? { type: '' }
  if (type === 'AssignmentPattern') return field === 'left'
  if (type === 'ObjectProperty') return field === 'value' && parent?.parent?.node.type === 'ObjectPattern'
  return type === 'ArrayPattern' || type === 'RestElement' || type === 'ObjectPattern'
}

const functionScopes = /Function|Method$|^Program$|^StaticBlock$/
const blockScopes = /^(?:BlockStatement|For\w*Statement|SwitchStatement|Program|StaticBlock|TSModuleBlock)$/

function enclosing(place: Place | undefined, types: RegExp): Place | undefined {
  let at = place?.parent
  while (at !== undefined && !types.test(at.node.type)) at = at.parent
  return at
}

/** Renames every occurrence of a variable within its scope; `undefined` if one of them is not a variable. */
function renamed({ source, names }: Script, name: string, scope: Span): readonly SourceEdit[] | undefined {
  const own = names.filter((one) => one.name === name && holds(scope, one))
  if (own.some(({ role }) => role === 'odd') || own.filter(({ role }) => role === 'binding').length !== 1)
    return undefined
  const fresh = freshName(source, name)
  return own.flatMap(({ start, end, role, isShorthand: isBoth }) =>
    role === 'property' ? [] : [{ start, end, text: isBoth ? `${name}: ${fresh}` : fresh }],
  )
}

function rename(
  script: Script,
  kind: 'rename-local' | 'rename-private',
  name: string,
  edits: readonly SourceEdit[] | undefined,
  equality: Variant['equality'],
): readonly Variant[] {
  if (edits === undefined) return []
  const what = `${name} → ${freshName(script.source, name)}`
  return variantOf(kind, equality, what, edits, [name])
}

/** Local variables and parameters. A name that a function takes from its variable stays. */
function localNames(script: Script): readonly Variant[] {
  if (reflective.test(script.source)) return []
  return script.names.flatMap(({ name, role, declares, scope, isNamed }) => {
    const isLocal = role === 'binding' && /^(?:variable|parameter)$/.test(declares ?? '') && isNamed !== true
    if (!isLocal || scope === undefined || scope.node.type === 'Program' || /^(?:arguments|this)$/.test(name)) return []
    return rename(script, 'rename-local', name, renamed(script, name, scope.node), 'form')
  })
}

/** `#x`, `private` members and those like `_x` and `x_`, and what a module declares and does not export. */
function privateNames(script: Script): readonly Variant[] {
  const { source, places, names, isUsed } = script
  if (reflective.test(source)) return []
  const program = places.find(({ node }) => node.type === 'Program')?.node
  const hashes = places.filter(({ node }) => node.type === 'PrivateName')
  const hashed = [...new Set(hashes.map(({ node }) => textOf(source, node)))].flatMap((name) => {
    const own = hashes.filter(({ node }) => textOf(source, node) === name)
    const declared = own.filter(({ field, parent }) => field === 'key' && /^Class/.test(parent?.node.type ?? ''))
    if (declared.length !== 1) return []
    const fresh = freshName(source, name)
    return rename(
      script,
      'rename-private',
      name,
      own.map(({ node }) => ({ ...spanOf(node), text: fresh })),
      'form',
    )
  })
  const members = [...new Set(names.flatMap(({ role, name }) => (role === 'property' ? [name] : [])))].flatMap(
    (name) => {
      const own = names.filter((one) => one.name === name && one.role === 'property')
      const declared = own.filter(({ place }) => place.field === 'key' && /^Class/.test(place.parent?.node.type ?? ''))
      const isDeclared = declared.some(({ place }) => place.parent?.node['accessibility'] === 'private')
      const owner = own[0] && enclosing(own[0].place, /^Class(?:Declaration|Expression)$/)?.node
      // By convention only: then nothing else may use it, and no other class of the file may have it.
      const isMeant =
        /^_[a-z]|[a-z]_$/i.test(name) &&
        !isUsed(name) &&
        owner !== undefined &&
        scriptChild(owner, 'superClass') === undefined
      const isSure =
        owner !== undefined &&
        (isDeclared || isMeant) &&
        own.every(({ place, ...one }) => {
          const object = place.parent && scriptChild(place.parent.node, 'object')
          const isMember = object !== undefined && (isDeclared || object.type === 'ThisExpression')
          return holds(owner, one) && (isMember || declared.some((other) => other.place === place))
        }) &&
        !new RegExp(`["'\`]${name.replaceAll('$', '\\$')}["'\`]`).test(source)
      const fresh = freshName(source, name)
      const edits = own.map(({ start, end }) => ({ start, end, text: fresh }))
      return isSure ? rename(script, 'rename-private', name, edits, 'inputs') : []
    },
  )
  // Without exports, the file may be a script whose names others see.
  const hasExports = places.some(({ node }) => /^Export/.test(node.type)) || /\bexports\b/.test(source)
  if (program === undefined || !hasExports) return [...hashed, ...members]
  const own = names.flatMap(({ name, role, declares, scope, place, isNamed }) => {
    const isOfModule =
      declares === 'function' ? enclosing(place.parent, blockScopes)?.node === program : scope?.node === program
    if (role !== 'binding' || !isOfModule || declares === 'import' || isExported(place)) return []
    const isFunction = declares === 'function' || isNamed === true
    return rename(script, 'rename-private', name, renamed(script, name, program), isFunction ? 'inputs' : 'form')
  })
  return [...hashed, ...members, ...own]
}

function isExported(place: Place): boolean {
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    if (/^Export/.test(at.node.type)) return true
    if (/^(?:BlockStatement|ClassBody)$/.test(at.node.type)) return false
  }
  return false
}

/** Pairs of functions or methods next to each other. Functions are hoisted, so their order does not matter. */
function declarations({ source, places }: Script): readonly Variant[] {
  return places.flatMap(({ node }) => {
    const inside = node.type === 'Program' || node.type === 'ClassBody' ? scriptChildren(node, 'body') : []
    return pairs(inside).flatMap(([first, second, before]) => {
      const [one, other] = [movable(first), movable(second)]
      const isOverloaded =
        /^TSDeclare/.test(before?.type ?? '') ||
        /^TSDeclare/.test(scriptChild(before ?? first, 'declaration')?.type ?? '')
      if (one === undefined || other === undefined || one === other || isOverloaded) return []
      const what = `${one} after ${other}`
      return variantOf('order-declarations', 'form', what, swapped(source, first, second))
    })
  })
}

function pairs(nodes: readonly ScriptNode[]): readonly (readonly [ScriptNode, ScriptNode, ScriptNode | undefined])[] {
  return nodes.slice(1).map((node, index) => [nodes[index] as ScriptNode, node, nodes[index - 1]] as const)
}

/** The name of a function declaration or method that may move; `undefined` for everything else. */
function movable(node: ScriptNode): string | undefined {
  if (node.type === 'ExportNamedDeclaration') {
    const inside = scriptChild(node, 'declaration')
    return inside === undefined ? undefined : movable(inside)
  }
  if (scriptChildren(node, 'decorators').length > 0) return undefined
  const isMethod = node.type === 'ClassMethod' && node['kind'] === 'method' && node['computed'] !== true
  const name =
    node.type === 'FunctionDeclaration' ? scriptChild(node, 'id') : isMethod ? scriptChild(node, 'key') : undefined
  return name?.type === 'Identifier' ? `${node['static'] === true ? 'static ' : ''}${String(name['name'])}` : undefined
}

const listing =
  /\bObject\s*\.\s*(?:keys|values|entries)\b|\bfor\s*\(\s*(?:const|let|var)\s+\w+\s+in\b|\bJSON\s*\.\s*stringify\b/

/** The first two keys of an object whose values need no order. */
function keys({ source, places }: Script): readonly Variant[] {
  if (listing.test(source)) return []
  return places.flatMap(({ node }) => {
    if (node.type !== 'ObjectExpression') return []
    const properties = scriptChildren(node, 'properties')
    const isPlain = properties.every(
      (one) =>
        one.type === 'ObjectProperty' && one['computed'] !== true && scriptChild(one, 'key')?.type === 'Identifier',
    )
    const [first, second] = properties
    const areSteady = properties.slice(0, 2).every((one) => isSteady(scriptChild(one, 'value')))
    if (!isPlain || !areSteady || first === undefined || second === undefined) return []
    const keyOf = (property: ScriptNode) => textOf(source, scriptChild(property, 'key') ?? property)
    const [one, other] = [keyOf(first), keyOf(second)]
    if (one === other) return []
    const what = `${other} before ${one}`
    return variantOf('order-keys', 'inputs', what, swapped(source, first, second), [one, other])
  })
}

/** Whether evaluating an expression has no effect, so that it may be evaluated earlier or later. */
function isSteady(node: ScriptNode | undefined): boolean {
  switch (node?.type) {
    case 'Identifier':
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
    case 'NullLiteral':
    case 'ThisExpression':
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return true
    case 'MemberExpression':
      return node['computed'] !== true && isSteady(scriptChild(node, 'object'))
    case 'UnaryExpression':
      return /^(?:typeof|[-!+])$/.test(String(node['operator'])) && isSteady(scriptChild(node, 'argument'))
    case 'ArrayExpression':
      return scriptChildren(node, 'elements').every(isSteady)
    default:
      return false
  }
}

/** Names in the braces of an import, and imports of modules of Node. */
function imports({ source, places }: Script): readonly Variant[] {
  const isNode = (node: ScriptNode) =>
    node.type === 'ImportDeclaration' && String(scriptChild(node, 'source')?.['value']).startsWith('node:')
  return places.flatMap(({ node }) => {
    const specifiers = node.type === 'ImportDeclaration' ? scriptChildren(node, 'specifiers') : []
    const [first, second] = specifiers.filter(({ type }) => type === 'ImportSpecifier')
    const inside = node.type === 'Program' ? pairs(scriptChildren(node, 'body')) : []
    const lines = inside.filter(([one, other]) => isNode(one) && isNode(other))
    const edits = [
      ...(first === undefined || second === undefined ? [] : [swapped(source, first, second)]),
      ...lines.map(([one, other]) => swapped(source, one, other)),
    ]
    return edits.flatMap((own) => variantOf('order-imports', 'form', 'imports in another order', own))
  })
}

const builtInErrors = /^(?:Type|Range|Reference|Syntax|URI|Eval)?Error$/

/** Messages of errors, and errors that are thrown as a subclass. */
function errors({ source, places }: Script): readonly Variant[] {
  return places.flatMap(({ node, parent }) => {
    const callee = scriptChild(node, 'callee')
    if (!/^(?:New|Call)Expression$/.test(node.type) || callee?.type !== 'Identifier') return []
    const name = String(callee['name'])
    if (!name.endsWith('Error')) return []
    const [message] = scriptChildren(node, 'arguments')
    const isThrown = parent?.node.type === 'ThrowStatement' && node.type === 'NewExpression' && builtInErrors.test(name)
    const subclass = isThrown ? [{ ...spanOf(callee), text: `(class extends ${name} {})` }] : []
    return [
      ...variantOf('error-subtype', 'inputs', `a subclass of ${name}`, subclass, [name]),
      ...(message?.type === 'StringLiteral' ? messageVariants(source, message) : []),
    ]
  })
}

/** A value with a name of its own before it is returned, and one whose name is left out. */
function returns({ source, places, names, isTyped }: Script): readonly Variant[] {
  return places.flatMap((place) => {
    const { node, parent } = place
    const value = node.type === 'ReturnStatement' ? scriptChild(node, 'argument') : undefined
    if (value === undefined || parent?.node.type !== 'BlockStatement') return []
    const inside = scriptChildren(parent.node, 'body')
    const before = inside[inside.indexOf(node) - 1]
    if (value.type === 'Identifier') return inlined({ source, names }, before, node, String(value['name']))
    const text = textOf(source, { start: node.start + 6, end: node.end })
      .replace(/;\s*$/, '')
      .trim()
    // A type that the place of a return gives to a literal would be lost.
    const isPlain = isTyped
      ? /^(?:Call|Binary|Member)Expression$/.test(value.type)
      : !/Literal$|Function|^Class|^Sequence/.test(value.type)
    const found = [
      ...(isPlain && !/\/[/*]|\n/.test(text)
        ? variantOf('extract', 'inputs', 'a value is named before it is returned', [
            { ...spanOf(node), text: namedFirst(source, node, text) },
          ])
        : []),
    ]
    return [...found, ...awaited(place, value)]
  })
}

function namedFirst(source: string, node: ScriptNode, text: string): string {
  const [fresh, end] = [freshName(source, 'value'), textOf(source, node).endsWith(';') ? ';' : '']
  return `const ${fresh} = ${text}${end}\n${indentAt(source, node.start)}return ${fresh}${end}`
}

function inlined(
  { source, names }: Pick<Script, 'source' | 'names'>,
  before: ScriptNode | undefined,
  node: ScriptNode,
  name: string,
): readonly Variant[] {
  const [declared, more] = before?.type === 'VariableDeclaration' ? scriptChildren(before, 'declarations') : []
  const [id, init] = declared === undefined ? [] : [scriptChild(declared, 'id'), scriptChild(declared, 'init')]
  if (before === undefined || id?.type !== 'Identifier' || id['name'] !== name || init === undefined) return []
  const uses = names.filter((one) => one.name === name && one.role !== 'property')
  const between = textOf(source, { start: before.end, end: node.start })
  const isOnce = uses.length === 2 && more === undefined && id['typeAnnotation'] === undefined && between.trim() === ''
  const isText = /Function|^Class|^(?:Object|Array)Expression$/.test(init.type)
  if (!isOnce || isText || scriptChild(before, 'declare') !== undefined) return []
  const edits = [{ start: before.start, end: node.end, text: `return (${textOf(source, init)})` }]
  return variantOf('inline', 'inputs', `${name} is returned without its name`, edits, [name])
}

/** A value that an `async` function returns anyway. In `try`, waiting there would change which errors are caught. */
function awaited(place: Place, value: ScriptNode): readonly Variant[] {
  let at = place.parent
  while (at !== undefined && !/Function|Method$/.test(at.node.type) && at.node.type !== 'TryStatement') at = at.parent
  const isAsync = at?.node['async'] === true && at.node['generator'] !== true
  if (!isAsync || /^(?:Await|Arrow|Assignment|Conditional|Logical|Sequence|Yield)/.test(value.type)) return []
  const edits = [{ start: value.start, end: value.start, text: 'await ' }]
  if (/Expression$/.test(value.type) && !/^(?:Call|Member|New|This|Object|Array)Expression$/.test(value.type)) return []
  return variantOf('async-form', 'inputs', 'a returned value is awaited', edits)
}

/** `while` as `for`, and `else` after a branch that returns. */
function loops({ source, places, names }: Script): readonly Variant[] {
  return places.flatMap(({ node, parent }) => {
    const test = scriptChild(node, 'test')
    if (test === undefined) return []
    if (node.type === 'WhileStatement') {
      const open = source.indexOf('(', node.start)
      const body = scriptChild(node, 'body')
      const close = body === undefined ? -1 : source.lastIndexOf(')', body.start)
      const around = source.slice(node.start, test.start) + source.slice(test.end, body?.start)
      if (open === -1 || close < test.end || /\/[/*]/.test(around)) return []
      const edits = [
        { start: node.start, end: open + 1, text: 'for (; ' },
        { start: close, end: close, text: ';' },
      ]
      return variantOf('loop-form', 'inputs', 'while → for', edits, ['while'])
    }
    const inside = parent?.node.type === 'BlockStatement' ? scriptChildren(parent.node, 'body') : []
    const rest = inside.slice(inside.indexOf(node) + 1)
    const last = rest.at(-1)
    const then = scriptChild(node, 'consequent')
    const ends = /^(?:Return|Throw)Statement$/.test(
      (then?.type === 'BlockStatement' ? scriptChildren(then, 'body').at(-1) : then)?.type ?? '',
    )
    const isPlain = node.type === 'IfStatement' && scriptChild(node, 'alternate') === undefined && ends
    if (!isPlain || last === undefined || rest.some(({ type }) => /^FunctionDecl/.test(type)) || then === undefined)
      return []
    const text = textOf(source, { start: rest[0]?.start ?? 0, end: last.end })
    if (text.includes('`')) return []
    const indent = indentAt(source, node.start)
    const edits = [
      {
        start: node.end,
        end: rest[0]?.start ?? 0,
        text: `${then.type === 'BlockStatement' ? ' ' : `\n${indent}`}else {\n${indent}  `,
      },
      { start: rest[0]?.start ?? 0, end: last.end, text: `${deeper(text, '  ')}\n${indent}}` },
    ]
    const between = textOf(source, { start: node.end, end: rest[0]?.start ?? 0 })
    // What is declared in a block is not visible before it.
    const declared = names.filter(({ role, start }) => role === 'binding' && start > node.end && start < last.end)
    const isSeen = names.some(
      (one) =>
        one.end <= node.end && one.start > (parent?.node.start ?? 0) && declared.some(({ name }) => name === one.name),
    )
    if (between.trim() !== '' || isSeen) return []
    return variantOf('loop-form', 'inputs', 'the rest is in an else', edits)
  })
}

/** Comparisons from the other side, the laws of De Morgan, and `x = x + 1` for `x += 1`. */
function expressions({ source, places }: Script): readonly Variant[] {
  return places.flatMap(({ node, field, parent }) => {
    const [left, right] = [scriptChild(node, 'left'), scriptChild(node, 'right')]
    const operator = String(node['operator'])
    const make = (what: string, edits: readonly SourceEdit[]) => variantOf('equal-expression', 'form', what, edits)
    if (node.type === 'UnaryExpression' && operator === '!') {
      const inside = scriptChild(node, 'argument')
      const parts = inside === undefined ? undefined : negated(source, inside)
      return parts === undefined ? [] : make('De Morgan', [{ ...spanOf(node), text: `(${parts})` }])
    }
    if (left === undefined || right === undefined) return []
    const isMirrored = node.type === 'BinaryExpression' && /^(?:[=!]==|[<>]=?)$/.test(operator)
    if (isMirrored && isSteady(left) && isSteady(right)) return mirrored(source, left, right)
    if (node.type === 'LogicalExpression' && field === 'test' && parent?.node.type !== 'SwitchCase') {
      const parts = negated(source, node)
      return parts === undefined ? [] : make('De Morgan', [{ ...spanOf(node), text: `!(${parts})` }])
    }
    const [, sign] = /^([-+*])=$/.exec(operator) ?? []
    if (node.type !== 'AssignmentExpression' || sign === undefined || left.type !== 'Identifier') return []
    const name = textOf(source, left)
    return make(`${operator} in full`, [
      { start: left.end, end: right.start, text: ` = ${name} ${sign} (` },
      { start: right.end, end: right.end, text: ')' },
    ])
  })
}

/** Negates both sides of `&&` or `||`, and exchanges the operators. */
function negated(source: string, node: ScriptNode): string | undefined {
  const [left, right] = [scriptChild(node, 'left'), scriptChild(node, 'right')]
  const operator = { '&&': '||', '||': '&&' }[String(node['operator'])]
  if (node.type !== 'LogicalExpression' || operator === undefined || left === undefined || right === undefined)
    return undefined
  const text = textOf(source, node)
  return text.includes('//') ? undefined : `!(${textOf(source, left)}) ${operator} !(${textOf(source, right)})`
}

/** Another way to compute what a method returns, given its object and its argument. */
const algorithms: Readonly<Record<string, (list: string, given: string) => string>> = {
  some: (list, given) => `(${list}.filter(${given}).length > 0)`,
  every: (list, given) => `(${list}.filter((...one) => !(${given})(...one)).length === 0)`,
  find: (list, given) => `${list}.filter(${given})[0]`,
  flatMap: (list, given) => `${list}.map(${given}).flat()`,
  includes: (list, given) => `(${list}.indexOf(${given}) !== -1)`,
}

/** A small table of other algorithms, and of other collections where no caller sees them. */
function algorithmsAndCollections({ source, places }: Script): readonly Variant[] {
  const made = (kind: 'equal-algorithm' | 'collection-kind', what: string, node: ScriptNode, text: string, word = '') =>
    variantOf(kind, 'inputs', what, [{ ...spanOf(node), text }], [word])
  return places.flatMap(({ node, parent, field }) => {
    if (parent?.node.type === 'ExpressionStatement') return []
    const [callee, object] = [scriptChild(node, 'callee'), scriptChild(node, 'object')]
    const values = scriptChildren(node, node.type === 'ArrayExpression' ? 'elements' : 'arguments')
    const [value] = values
    const isOne = values.length === 1 && value !== undefined
    if (node.type === 'CallExpression' && callee?.type === 'MemberExpression' && callee['computed'] !== true && isOne) {
      const [list, name] = [scriptChild(callee, 'object'), String(scriptChild(callee, 'property')?.['name'])]
      const [owner, given] = [textOf(source, list ?? node), textOf(source, value)]
      if (owner === 'Math' && /^(?:max|min)$/.test(name) && value.type === 'SpreadElement') {
        const first = name === 'max' ? '-Infinity' : 'Infinity'
        const text = `[${given}].reduce((one, other) => Math.${name}(one, other), ${first})`
        return made('equal-algorithm', `Math.${name} step by step`, node, text, `Math.${name}`)
      }
      const other = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
      const isFair = name === 'includes' ? value.type !== 'SpreadElement' : /^(?:Arrow)?Function/.test(value.type)
      if (other === undefined || !isFair || /\/\//.test(given)) return []
      return [
        ...made('equal-algorithm', `${name} in other words`, node, other(owner, given), `.${name}`),
        ...(name === 'includes' && list?.type === 'ArrayExpression'
          ? made('collection-kind', 'a set for an array', node, `new Set(${owner}).has(${given})`)
          : []),
      ]
    }
    if (node.type === 'ArrayExpression' && field === 'right' && parent?.node.type === 'ForOfStatement')
      return made('collection-kind', 'a frozen array', node, `Object.freeze(${textOf(source, node)})`)
    const isSpread = node.type === 'ArrayExpression' && isOne && value.type === 'SpreadElement'
    const isSize = node.type === 'MemberExpression' && scriptChild(node, 'property')?.['name'] === 'size'
    const set = isSpread ? scriptChild(value, 'argument') : isSize ? object : undefined
    const inside = set?.type === 'NewExpression' ? scriptChildren(set, 'arguments') : []
    if (set === undefined || textOf(source, scriptChild(set, 'callee') ?? set) !== 'Set' || inside.length !== 1)
      return []
    const text = `[...${textOf(source, inside[0] ?? set)}].filter((one, at, all) => all.indexOf(one) === at)`
    return made('equal-algorithm', 'a search for a Set', node, isSize ? `${text}.length` : text, 'Set')
  })
}

/** Files that a program writes as text, with a final line end or without. */
function writtenFiles({ source, places }: Script): readonly Variant[] {
  return places.flatMap(({ node }) => {
    const callee = node.type === 'CallExpression' ? textOf(source, scriptChild(node, 'callee') ?? node) : ''
    const text = /\bwriteFile(?:Sync)?$/.test(callee) ? scriptChildren(node, 'arguments')[1] : undefined
    return text === undefined ? [] : finalLineEnd(source, spanOf(text))
  })
}

const makers: readonly ((script: Script) => readonly Variant[])[] = [
  localNames,
  privateNames,
  declarations,
  keys,
  imports,
  errors,
  returns,
  loops,
  expressions,
  algorithmsAndCollections,
  writtenFiles,
]
