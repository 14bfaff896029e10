import type { Group, Item, Member, Part, Unit } from '../declaration.js'
import {
  afterAnnotations,
  annotationEnd,
  dimensionsEnd,
  findOutside,
  isWord,
  type JavaSource,
  type Range,
  splitAtCommas,
  typeEnd,
} from './java-source.js'

/** The modifiers and annotations of a declaration, and their end. */
interface Modifiers {
  readonly group: Group
  readonly end: number
  has(word: string): boolean
}

/**
 * Reads the modifiers and annotations that begin at `index`, including contextual keywords (`sealed`, `non-sealed`).
 */
export function readModifiers(source: JavaSource, index: number): Modifiers {
  const units: Unit[] = []
  let end = index
  for (;;) {
    const next = nextModifierEnd(source, end)
    if (next === undefined) break
    const items = canonicalModifier(source, end, next)
    units.push({ key: items.map((token) => source.texts[token]).join('\0'), items })
    end = next
  }
  const keys = new Set(units.map(({ key }) => key))
  return { group: { units }, end, has: (word) => keys.has(word) }
}

function nextModifierEnd(source: JavaSource, index: number): number | undefined {
  const { texts } = source
  if (isModifier(source, index)) return modifierEnd(source, index)
  if (texts[index] === 'sealed' && beginsTypeOrModifier(source, index + 1)) return index + 1
  const nonSealed = texts[index] === 'non' && texts[index + 1] === '-' && texts[index + 2] === 'sealed'
  return nonSealed ? index + 3 : undefined
}

function beginsTypeOrModifier(source: JavaSource, index: number): boolean {
  return isModifier(source, index) || ['class', 'interface'].includes(source.texts[index] ?? '')
}

/** Returns the header part of a member that is not a type: its modifiers and annotations. */
export function modifierHeader(modifiers: Modifiers): Part {
  return { kind: 'header', label: 'header', items: [modifiers.group], end: modifiers.end }
}

const modifierWords: ReadonlySet<string> = new Set([
  'public',
  'protected',
  'private',
  'static',
  'abstract',
  'final',
  'native',
  'synchronized',
  'transient',
  'volatile',
  'strictfp',
  'default',
])

function isModifier({ texts }: JavaSource, index: number): boolean {
  const text = texts[index] ?? ''
  return modifierWords.has(text) || (text === '@' && texts[index + 1] !== 'interface')
}

function modifierEnd(source: JavaSource, index: number): number {
  return source.texts[index] === '@' ? annotationEnd(source, index) : index + 1
}

/**
 * Returns the tokens from `from` to `to` in canonical form: modifiers and annotations of one declaration sorted, `@A()`
 * as `@A`, `@A(value = x)` as `@A(x)`, pairs of an annotation sorted, no comma before `}`.
 */
function canonical(source: JavaSource, from: number, to: number): readonly number[] {
  const tokens: number[] = []
  for (let index = from; index < to; ) {
    if (isModifier(source, index)) {
      const end = runEnd(source, index, to)
      tokens.push(...sortedRun(source, index, end))
      index = end
    } else {
      if (!isTrailingComma(source, index)) tokens.push(index)
      index++
    }
  }
  return tokens
}

function isTrailingComma({ texts }: JavaSource, index: number): boolean {
  return texts[index] === ',' && texts[index + 1] === '}'
}

function runEnd(source: JavaSource, from: number, to: number): number {
  let end = from
  while (end < to && isModifier(source, end)) end = modifierEnd(source, end)
  return Math.min(end, to)
}

function sortedRun(source: JavaSource, from: number, to: number): readonly number[] {
  const units: (readonly number[])[] = []
  for (let index = from; index < to; ) {
    const end = Math.min(modifierEnd(source, index), to)
    units.push(canonicalModifier(source, index, end))
    index = end
  }
  return sorted(source, units).flat()
}

function canonicalModifier(source: JavaSource, from: number, to: number): readonly number[] {
  const { texts } = source
  if (texts[from] !== '@' || texts[to - 1] !== ')') return range(from, to)
  const open = texts.indexOf('(', from)
  if (open === to - 2) return range(from, open)
  const pairs = splitAtCommas(source, open + 1, to - 1)
  const values = pairs.map(([start, end]) => canonical(source, start, end))
  const [only] = values
  const [first] = pairs
  if (values.length === 1 && only !== undefined && first !== undefined) {
    const named = texts[first[0]] === 'value' && texts[first[0] + 1] === '='
    return [...range(from, open + 1), ...(named ? only.slice(2) : only), to - 1]
  }
  return [...range(from, open + 1), ...sorted(source, values).flat(), to - 1]
}

function sorted({ texts }: JavaSource, units: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (units.length < 2) return units
  const keyed = units.map((unit) => ({ unit, key: unit.map((index) => texts[index]).join('\0') }))
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  return keyed.map(({ unit }) => unit)
}

/** Returns the numbers from `from` up to, but not including, `to`. */
export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

/** Groups the entries between commas from `from` to `to`. Their order does not count. */
function unorderedList(source: JavaSource, from: number, to: number): Group {
  const units = splitAtCommas(source, from, to).map(([start, end]) => {
    const items = canonical(source, start, end)
    return { key: items.map((index) => source.texts[index]).join('\0'), items }
  })
  return { units }
}

/** Returns a keyword such as `throws` at `from` and the unordered list after it; nothing for an empty range. */
export function unorderedClause(source: JavaSource, from: number, to: number): readonly Item[] {
  return from < to ? [from, unorderedList(source, from + 1, to)] : []
}

/** A parameter list or record header: its items, and the parameter types for the key. */
interface Parameters {
  readonly items: readonly Item[]
  readonly types: string
  /** The index after the closing parenthesis. */
  readonly end: number
}

/** Reads the parameter list whose `(` is at `open`. `int a[]` becomes `int[] a`; a receiver has no type. */
function readParameters(source: JavaSource, open: number): Parameters {
  const close = Math.min(source.closing(open), source.texts.length)
  const items: Item[] = [open]
  const types: string[] = []
  for (const [from, to] of splitAtCommas(source, open + 1, close)) {
    const parameter = readParameter(source, from, to)
    items.push(...parameter.items)
    if (source.texts[to] === ',') items.push(to)
    if (parameter.type !== undefined) types.push(parameter.type)
  }
  items.push(close)
  return { items, types: types.join(','), end: close + 1 }
}

function readParameter(source: JavaSource, from: number, to: number) {
  const { texts } = source
  const modifiers = readModifiers(source, from)
  const type = typeEnd(source, modifiers.end)
  const varargs = afterAnnotations(source, type)
  const name = texts[varargs] === '...' ? varargs + 1 : type
  const receiver = texts[to - 1] === 'this'
  const dimensions = receiver ? [] : range(name + 1, to)
  const items: readonly Item[] = [
    modifiers.group,
    ...canonical(source, modifiers.end, type),
    ...dimensions,
    ...canonical(source, type, name),
    ...range(name, receiver ? to : Math.min(name + 1, to)),
  ]
  const suffix = [...dimensions, ...range(varargs, name)].map((index) => texts[index]).join('')
  return { items, ...(receiver ? {} : { type: typeText(source, modifiers.end, type) + suffix }) }
}

/** Returns the source of a type without spaces and annotations. */
function typeText(source: JavaSource, from: number, to: number): string {
  let text = ''
  for (let index = from; index < to; index++) {
    if (source.texts[index] === '@') index = annotationEnd(source, index) - 1
    else text += source.texts[index]
  }
  return text
}

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
