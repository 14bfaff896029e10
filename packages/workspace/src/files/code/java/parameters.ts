import type { Item } from '../items.js'
import { canonical, range } from './canonical.js'
import type { JavaSource } from './java-source.js'
import { readModifiers } from './modifiers.js'
import { afterAnnotations, annotationEnd, splitAtCommas, typeEnd } from './ranges.js'

/** A parameter list or record header: what is compared, and the parameter types for the key. */
interface Parameters {
  readonly items: readonly Item[]
  readonly types: string
  /** The index behind the closing parenthesis. */
  readonly end: number
}

/** Reads the parameter list whose `(` stands at `open`. `int a[]` reads as `int[] a`; a receiver has no type. */
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

/** The source text of a type without spaces and annotations. */
function typeText(source: JavaSource, from: number, to: number): string {
  let text = ''
  for (let index = from; index < to; index++) {
    if (source.texts[index] === '@') index = annotationEnd(source, index) - 1
    else text += source.texts[index]
  }
  return text
}
