import type { Member } from '../declaration.js'
import { canonical, range } from './canonical.js'
import type { JavaSource } from './java-source.js'
import { type Modifiers, modifierHeader } from './modifiers.js'
import { dimensionsEnd, findOutside, type Range } from './ranges.js'

/** What the fields of one declaration share. */
interface FieldDeclaration {
  readonly modifiers: Modifiers
  readonly first: number
  readonly type: Range
  /** The sequence of initialisers to which such a field belongs, when it has one. */
  readonly sequence: 'static' | 'instance'
  keyOf(name: string): string
}

/** Fields and the index behind their declaration. */
interface Fields {
  readonly fields: readonly Member[]
  readonly end: number
}

/** Reads the fields of one declaration, each as if declared alone. */
export function readFields(source: JavaSource, declaration: FieldDeclaration, to: number): Fields {
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
