import type { Item, Member, Part } from '../declaration.js'
import { dimensionsEnd, findOutside, isWord, type JavaSource, type Range, typeEnd } from './java-source.js'
import {
  canonical,
  type Modifiers,
  modifierHeader,
  range,
  readModifiers,
  readParameters,
  unorderedClause,
} from './signatures.js'

/** The type whose members are read. An empty path represents a file without a class around its members. */
interface Scope {
  readonly path: string
  readonly name: string
  readonly kind: TypeKind
}

interface Found {
  readonly members: readonly Member[]
  /** The index after what was read. */
  readonly end: number
}

/**
 * Reads the declarations in `range`. Code that is not Java becomes part of some member as well, so that no token is
 * skipped.
 */
export function readMembers(source: JavaSource, scope: Scope, [from, to]: Range): readonly Member[] {
  const members: Member[] = []
  const blocks = { static: 0, instance: 0 }
  for (let at = from; at < to; ) {
    const sequence = initialiserAt(source, at)
    if (source.texts[at] === ';') at++
    else if (sequence !== undefined) {
      blocks[sequence]++
      const block = initialiser(source, scope, at, sequence, blocks[sequence])
      members.push(block)
      at = block.last + 1
    } else {
      const found = readDeclaration(source, scope, at, to)
      members.push(...found.members)
      at = Math.max(found.end, at + 1)
    }
  }
  return members
}

function initialiserAt({ texts }: JavaSource, at: number): 'static' | 'instance' | undefined {
  if (texts[at] === '{') return 'instance'
  return texts[at] === 'static' && texts[at + 1] === '{' ? 'static' : undefined
}

function initialiser(source: JavaSource, scope: Scope, first: number, sequence: 'static' | 'instance', nth: number) {
  const open = sequence === 'static' ? first + 1 : first
  const end = source.closing(open) + 1
  const key = keyIn(scope, `${sequence === 'static' ? 'static' : ''}{${nth}}`)
  return { key, sort: 'initialiser', first, last: end - 1, parts: [bodyPart(source, open, end)], sequence }
}

function readDeclaration(source: JavaSource, scope: Scope, first: number, to: number): Found {
  const { texts } = source
  const modifiers = readModifiers(source, first)
  const start = typeStart(source, modifiers.end)
  if (start !== undefined) return readType(source, scope, modifiers, start, first, to)
  const type = texts[modifiers.end] === '<' ? (source.angleEnd(modifiers.end) ?? modifiers.end) : modifiers.end
  const isConstructor = isWord(texts[type]) && texts[type + 1] === '('
  const name = isConstructor ? type : typeEnd(source, type)
  const keyOf = (text: string) => keyIn(scope, text)
  if (isWord(texts[type]) && texts[type + 1] === '{') return readCompactConstructor(source, scope, modifiers, first)
  if (texts[name + 1] === '(') {
    const callable = readCallable(source, { modifiers, first, name, keyOf }, to)
    return { members: [callable], end: callable.last + 1 }
  }
  const inInterface = scope.kind === 'interface' || scope.kind === '@interface'
  const sequence = inInterface || modifiers.has('static') ? 'static' : 'instance'
  const { fields, end } = readFields(source, { modifiers, first, type: [type, name], sequence, keyOf }, to)
  return { members: fields, end }
}

function readCompactConstructor(source: JavaSource, scope: Scope, modifiers: Modifiers, first: number): Found {
  const body = modifiers.end + 1
  const end = source.closing(body) + 1
  const key = keyIn(scope, source.texts[modifiers.end] ?? '')
  const parts = [modifierHeader(modifiers), bodyPart(source, body, end)]
  return { members: [{ key, sort: 'callable', first, last: end - 1, parts }], end }
}

function readType(
  source: JavaSource,
  outer: Scope,
  modifiers: Modifiers,
  start: TypeStart,
  first: number,
  to: number,
): Found {
  const name = source.texts[start.name] ?? ''
  const scope: Scope = { path: keyIn(outer, name), name, kind: start.kind }
  const body = typeBody(source, start.name, to)
  const close = Math.min(source.closing(body), to)
  const constants = start.kind === 'enum' ? readEnumConstants(source, scope.path, body + 1, close) : undefined
  const items = [modifiers.group, ...headerItems(source, modifiers.end, start, body)]
  const type: Member = {
    key: scope.path,
    sort: 'type',
    first,
    last: close,
    parts: [{ kind: 'header', label: 'header', items, end: body }],
    members: [...(constants?.constants ?? []), ...readMembers(source, scope, [constants?.end ?? body + 1, close])],
  }
  return { members: [type], end: close + 1 }
}

function keyIn({ path }: Scope, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

interface CallableStart {
  readonly modifiers: Modifiers
  readonly first: number
  readonly name: number
  keyOf(name: string): string
}

const afterSignature: ReadonlySet<string> = new Set(['{', ';', 'default'])
const semicolon: ReadonlySet<string> = new Set([';'])

/** Reads a method, constructor or annotation element. `int f()[]` becomes `int[] f()`. */
function readCallable(source: JavaSource, start: CallableStart, to: number): Member {
  const { modifiers, name } = start
  const parameters = readParameters(source, name + 1)
  const dimensions = dimensionsEnd(source, parameters.end)
  const body = findOutside(source, dimensions, to, afterSignature)
  const end = source.texts[body] === '{' ? source.closing(body) : findOutside(source, body, to, semicolon)
  const signature = [
    ...canonical(source, modifiers.end, name),
    ...range(parameters.end, dimensions),
    name,
    ...parameters.items,
    ...unorderedClause(source, dimensions, body),
  ]
  return {
    key: start.keyOf(`${source.texts[name]}(${parameters.types})`),
    sort: 'callable',
    first: start.first,
    last: Math.min(end, to - 1),
    parts: [
      modifierHeader(modifiers),
      { kind: 'differs', label: 'signature', items: signature, end: body },
      bodyPart(source, body, end + 1),
    ],
  }
}

/** Reads the block, default value or `;` from `from` to `to`. */
function bodyPart(source: JavaSource, from: number, to: number): Part {
  const label = source.texts[from] === 'default' ? 'value' : 'body'
  return { kind: 'differs', label, items: canonical(source, from, Math.min(to, source.texts.length)), end: to }
}

/** The common part of the fields of one declaration. */
interface FieldDeclaration {
  readonly modifiers: Modifiers
  readonly first: number
  readonly type: Range
  /** The sequence of initialisers to which such a field belongs, if it has one. */
  readonly sequence: 'static' | 'instance'
  keyOf(name: string): string
}

interface Fields {
  readonly fields: readonly Member[]
  readonly end: number
}

/** Reads the fields of one declaration, each as if declared alone. */
function readFields(source: JavaSource, declaration: FieldDeclaration, to: number): Fields {
  const end = findOutside(source, declaration.type[1], to, new Set([';']))
  const fields: Member[] = []
  for (let at = declaration.type[1]; at < end; ) {
    const stop = findOutside(source, at, end, new Set([',']))
    fields.push(readField(source, declaration, [at, stop], fields.length === 0 ? declaration.first : at))
    at = stop + 1
  }
  return { fields, end: end + 1 }
}

function readField(source: JavaSource, declaration: FieldDeclaration, [name, end]: Range, first: number): Member {
  const { modifiers, type, sequence } = declaration
  const dimensions = Math.min(dimensionsEnd(source, name + 1), end)
  const signature = [...canonical(source, ...type), ...range(name + 1, dimensions), name]
  return {
    key: declaration.keyOf(source.texts[name] ?? ''),
    sort: 'field',
    first,
    last: end,
    parts: [
      modifierHeader(modifiers),
      { kind: 'differs', label: 'signature', items: signature, end: dimensions },
      { kind: 'differs', label: 'initializer', items: canonical(source, dimensions, end), end },
    ],
    ...(dimensions < end ? { sequence } : {}),
  }
}

type TypeKind = 'class' | 'interface' | 'enum' | 'record' | '@interface'

interface TypeStart {
  readonly kind: TypeKind
  readonly name: number
}

/** Finds the type declaration that begins at `index`, after its modifiers, or returns `undefined`. */
function typeStart({ texts }: JavaSource, index: number): TypeStart | undefined {
  const text = texts[index]
  if (text === 'class' || text === 'interface' || text === 'enum') return { kind: text, name: index + 1 }
  if (text === '@' && texts[index + 1] === 'interface') return { kind: '@interface', name: index + 2 }
  const behind = texts[index + 2]
  const record = text === 'record' && isWord(texts[index + 1]) && (behind === '(' || behind === '<')
  return record ? { kind: 'record', name: index + 1 } : undefined
}

const clauseWords: ReadonlySet<string> = new Set(['extends', 'implements', 'permits'])
const bodyStart: ReadonlySet<string> = new Set(['{'])

/** Returns the index of the `{` that opens the body of the type whose name is at `name`. */
function typeBody(source: JavaSource, name: number, to: number): number {
  return findOutside(source, name, to, bodyStart)
}

/** Returns the header from the kind at `from` to the body, with the supertypes of a list in any order. */
function headerItems(source: JavaSource, from: number, start: TypeStart, body: number): readonly Item[] {
  const { texts } = source
  const items: Item[] = [...canonical(source, from, start.name + 1)]
  for (let at = start.name + 1; at < body; ) {
    const end = pieceEnd(source, at, body)
    if (texts[at] === '(') items.push(...readParameters(source, at).items)
    else if (clauseWords.has(texts[at] ?? '') && (texts[at] !== 'extends' || start.kind === 'interface')) {
      items.push(...unorderedClause(source, at, end))
    } else items.push(...canonical(source, at, end))
    at = end
  }
  return items
}

function pieceEnd(source: JavaSource, at: number, body: number): number {
  const text = source.texts[at]
  if (text === '(') return Math.min(source.closing(at) + 1, body)
  if (text === '<') return Math.min(source.angleEnd(at) ?? at + 1, body)
  return findOutside(source, at + 1, body, clauseWords)
}

/** The constants of an enum, and the index after them and their `;`. */
interface EnumConstants {
  readonly constants: readonly Member[]
  readonly end: number
}

/** Reads the constants at the beginning of the body of the enum `path`. */
function readEnumConstants(source: JavaSource, path: string, from: number, to: number): EnumConstants {
  const constants: Member[] = []
  for (let at = from; at < to; ) {
    if (source.texts[at] === ';') return { constants, end: at + 1 }
    if (source.texts[at] === ',') at++
    else {
      const constant = readConstant(source, path, at)
      constants.push(constant)
      at = constant.last + 1
    }
  }
  return { constants, end: to }
}

function readConstant(source: JavaSource, path: string, first: number): Member {
  const { texts, closing } = source
  const modifiers = readModifiers(source, first)
  const values = modifiers.end + 1
  const body = texts[values] === '(' ? closing(values) + 1 : values
  const end = texts[body] === '{' ? closing(body) + 1 : body
  return {
    key: `${path}.${texts[modifiers.end]}`,
    sort: 'field',
    first,
    last: end - 1,
    parts: [
      modifierHeader(modifiers),
      { kind: 'differs', label: 'value', items: canonical(source, values, body), end: body },
      { kind: 'differs', label: 'body', items: canonical(source, body, end), end },
    ],
    sequence: 'constants',
  }
}
