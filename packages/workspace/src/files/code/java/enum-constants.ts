import type { Member } from '../declaration.js'
import { canonical } from './canonical.js'
import type { JavaSource } from './java-source.js'
import { modifierHeader, readModifiers } from './modifiers.js'

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
