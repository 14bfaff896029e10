import { child, children, type SyntaxNode } from './parse-script.js'

/** Returns the declaration in an export, or the statement itself. */
export function declarationIn(statement: SyntaxNode): SyntaxNode {
  const exported = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
  return (exported ? child(statement, 'declaration') : undefined) ?? statement
}

/** Returns the name that a function, class, interface, enum, type alias or namespace declares. */
export function nameOf(declaration: SyntaxNode): string | undefined {
  const id = child(declaration, 'id')
  const name = id?.['name'] ?? id?.['value']
  return typeof name === 'string' ? name : undefined
}

const functions: ReadonlySet<string> = new Set(['FunctionDeclaration', 'TSDeclareFunction'])

/** Whether the order of a declaration among the statements of its block does not count. */
export function isFree(declaration: SyntaxNode, kept: ReadonlySet<string>): boolean {
  const { type } = declaration
  if (functions.has(type)) return !kept.has(nameOf(declaration) ?? '')
  return type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration'
}

/** Returns the kind of a declaration. Declarations with the same name and sort belong together. */
export function sortOf({ type }: SyntaxNode): string {
  return functions.has(type) ? 'function' : type
}

/**
 * Returns the key of a statement whose position in its block does not count.
 *
 * @param kept the names of functions whose position counts
 */
export function statementKey(statement: SyntaxNode, kept: ReadonlySet<string>): string | undefined {
  const declaration = declarationIn(statement)
  return isFree(declaration, kept) ? `${sortOf(declaration)} ${nameOf(declaration) ?? 'default'}` : undefined
}

const methods: ReadonlySet<string> = new Set(['ClassMethod', 'ClassPrivateMethod', 'TSDeclareMethod'])

/** Whether a class element is a method or an accessor. */
export function isMethod({ type }: SyntaxNode): boolean {
  return methods.has(type)
}

/**
 * Returns the key of a class element whose position does not count: an undecorated method or accessor with a plain
 * name.
 */
function elementKey(element: SyntaxNode): string | undefined {
  const decorated = Array.isArray(element['decorators']) && element['decorators'].length > 0
  return isMethod(element) && element['computed'] !== true && !decorated ? elementName(element) : undefined
}

/**
 * Returns a function for the elements of one class that returns the key of an element whose position does not count.
 * Two elements that write to one property keep their order, since the last one wins: a method and an accessor of one
 * name. A computed name may be equal to any other.
 */
export function elementKeys(elements: readonly SyntaxNode[]): (element: SyntaxNode) => string | undefined {
  const methods = elements.filter(isMethod)
  const kinds = new Map<string, Set<string>>()
  for (const element of methods) {
    const known = kinds.get(slotOf(element)) ?? new Set()
    const sort = element['kind'] === 'get' || element['kind'] === 'set' ? 'accessor' : 'method'
    kinds.set(slotOf(element), known.add(elementKey(element) === undefined ? `fixed ${sort}` : sort))
  }
  const isOpen = methods.some((element) => element['computed'] === true && !isPlainKey(child(element, 'key')))
  return (element) => (isOpen || (kinds.get(slotOf(element))?.size ?? 0) > 1 ? undefined : elementKey(element))
}

/** Returns the property that a method or accessor writes to. */
function slotOf(element: SyntaxNode): string {
  const key = child(element, 'key')
  return `${element['static'] === true ? 'static ' : ''}${key === undefined ? '' : expressionName(key)}`
}

/** Whether a computed key has a known value: a literal, `Symbol.iterator`. */
function isPlainKey(key: SyntaxNode | undefined): boolean {
  const object = key && child(key, 'object')
  return key?.type.endsWith('Literal') === true || (object?.['name'] === 'Symbol' && key?.['computed'] !== true)
}

/** Returns the name of a class element or of a member of an interface: `static create`, `get size`, `#secret`. */
export function elementName(element: SyntaxNode): string | undefined {
  const name = keyName(element)
  if (name === undefined) return undefined
  const kind = element['kind'] === 'get' || element['kind'] === 'set' ? `${element['kind']} ` : ''
  return `${element['static'] === true ? 'static ' : ''}${kind}${name}`
}

function keyName(element: SyntaxNode): string | undefined {
  const key = child(element, 'key')
  if (key === undefined) return undefined
  return element['computed'] === true ? `[${expressionName(key)}]` : expressionName(key)
}

/** Returns a key as a string: a name, a literal by its value, `Symbol.iterator`; anything else by its kind. */
function expressionName(key: SyntaxNode): string {
  if (key.type === 'PrivateName') return `#${child(key, 'id')?.['name']}`
  const [object, property] = [child(key, 'object'), child(key, 'property')]
  if (object !== undefined && property !== undefined) return `${expressionName(object)}.${expressionName(property)}`
  return String(key['name'] ?? key['value'] ?? key.type)
}

/**
 * Returns the key of a member of an interface or type literal. The order counts only among members with the same key.
 */
export function typeMemberKey(member: SyntaxNode): string {
  if (member.type === 'TSCallSignatureDeclaration') return '()'
  if (member.type === 'TSConstructSignatureDeclaration') return 'new()'
  return elementName(member) ?? `[${indexType(member)}]`
}

/** Returns the kind of the type that an index signature is for. */
function indexType(member: SyntaxNode): string {
  const [parameter] = children(member, 'parameters')
  const annotation = parameter && child(parameter, 'typeAnnotation')
  return (annotation && child(annotation, 'typeAnnotation')?.type) ?? member.type
}

/** The names of functions declared in blocks, collected while a file is walked from the outside in. */
export interface BlockFunctions {
  visit(node: SyntaxNode): void
  /**
   * Returns the names for a file that is not strict: there, such a function also writes to a variable outside its
   * block, when it is evaluated. In a module, and after `use strict`, a function belongs to its block and its position
   * does not count.
   */
  namesIn(program: SyntaxNode): ReadonlySet<string>
}

export function blockFunctions(): BlockFunctions {
  const bodies = new Set<SyntaxNode>()
  const names = new Set<string>()
  const note = (statements: readonly (SyntaxNode | undefined)[]) => {
    for (const statement of statements)
      if (statement?.type === 'FunctionDeclaration') names.add(nameOf(statement) ?? '')
  }
  return {
    visit(node) {
      const body = child(node, 'body')
      if (/Function|Method/.test(node.type) && body !== undefined) bodies.add(body)
      if (node.type === 'BlockStatement' && !bodies.has(node)) note(children(node, 'body'))
      if (node.type === 'SwitchCase') note(children(node, 'consequent'))
      if (node.type === 'IfStatement') note([child(node, 'consequent'), child(node, 'alternate')])
      if (node.type === 'LabeledStatement') note([body])
    },
    namesIn(program) {
      const isStrict = children(program, 'directives').some((one) => child(one, 'value')?.['value'] === 'use strict')
      return program['sourceType'] === 'module' || isStrict ? new Set() : names
    },
  }
}
