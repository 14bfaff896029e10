import type { Member, Part } from '../declaration.js'
import { canonical, range } from './canonical.js'
import { unorderedClause } from './clauses.js'
import type { JavaSource } from './java-source.js'
import { type Modifiers, modifierHeader } from './modifiers.js'
import { readParameters } from './parameters.js'
import { dimensionsEnd, findOutside } from './ranges.js'

/** A method, constructor or annotation element whose name stands at `name`. */
interface CallableStart {
  readonly modifiers: Modifiers
  readonly first: number
  readonly name: number
  keyOf(name: string): string
}

const afterSignature: ReadonlySet<string> = new Set(['{', ';', 'default'])
const semicolon: ReadonlySet<string> = new Set([';'])

/** Reads a method, constructor or annotation element. `int f()[]` reads as `int[] f()`. */
export function readCallable(source: JavaSource, start: CallableStart, to: number): Member {
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

/** The block, default value or `;` from `from` to `to`. */
export function bodyPart(source: JavaSource, from: number, to: number): Part {
  const label = source.texts[from] === 'default' ? 'value' : 'body'
  return { kind: 'differs', label, items: canonical(source, from, Math.min(to, source.texts.length)), end: to }
}
