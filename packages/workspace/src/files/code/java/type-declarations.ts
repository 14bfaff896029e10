import type { Item, Member } from '../declaration.js'
import { findOutside, isWord, type JavaSource } from './java-source.js'
import { canonical, modifierHeader, readModifiers, readParameters, unorderedClause } from './signatures.js'

/** What a type declaration declares. */
export type TypeKind = 'class' | 'interface' | 'enum' | 'record' | '@interface'

/** The kind and the index of the name of a type declaration. */
export interface TypeStart {
  readonly kind: TypeKind
  readonly name: number
}

/** The type declaration that begins at `index`, behind its modifiers, or `undefined`. */
export function typeStart({ texts }: JavaSource, index: number): TypeStart | undefined {
  const text = texts[index]
  if (text === 'class' || text === 'interface' || text === 'enum') return { kind: text, name: index + 1 }
  if (text === '@' && texts[index + 1] === 'interface') return { kind: '@interface', name: index + 2 }
  const behind = texts[index + 2]
  const record = text === 'record' && isWord(texts[index + 1]) && (behind === '(' || behind === '<')
  return record ? { kind: 'record', name: index + 1 } : undefined
}

const clauseWords: ReadonlySet<string> = new Set(['extends', 'implements', 'permits'])
const bodyStart: ReadonlySet<string> = new Set(['{'])

/** The index of the `{` that opens the body of the type whose name is at `name`. */
export function typeBody(source: JavaSource, name: number, to: number): number {
  return findOutside(source, name, to, bodyStart)
}

/** What is compared of the header from the kind at `from` to the body: supertypes of a list in any order. */
export function headerItems(source: JavaSource, from: number, start: TypeStart, body: number): readonly Item[] {
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

/** The constants of an enum, and the index behind them and their `;`. */
interface EnumConstants {
  readonly constants: readonly Member[]
  readonly end: number
}

/** Reads the constants at the beginning of the body of the enum `path`. */
export function readEnumConstants(source: JavaSource, path: string, from: number, to: number): EnumConstants {
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
