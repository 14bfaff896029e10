import type { Group, Item, Part, Unit } from '../declaration.js'
import { afterAnnotations, annotationEnd, type JavaSource, splitAtCommas, typeEnd } from './java-source.js'

/** The modifiers and annotations of a declaration, and their end. */
export interface Modifiers {
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
export function canonical(source: JavaSource, from: number, to: number): readonly number[] {
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
export function readParameters(source: JavaSource, open: number): Parameters {
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
