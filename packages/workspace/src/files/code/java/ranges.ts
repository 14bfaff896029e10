import { annotationEnd as endOfAnnotation } from './angles.js'
import type { JavaSource } from './java-source.js'

/** Two token indexes: from the first up to, without, the second. */
export type Range = readonly [from: number, to: number]

/** The end of the annotation whose `@` stands at `index`. */
export function annotationEnd({ texts, closing }: JavaSource, index: number): number {
  return endOfAnnotation(texts, closing, index)
}

/** Passes the annotations that begin at `index`. */
export function afterAnnotations(source: JavaSource, index: number): number {
  let at = index
  while (source.texts[at] === '@' && source.texts[at + 1] !== 'interface') at = annotationEnd(source, at)
  return at
}

/** The end of the type that begins at `index`: annotations, a name with type arguments, dimensions. */
export function typeEnd(source: JavaSource, index: number): number {
  const { texts } = source
  let end = afterAnnotations(source, index) + 1
  for (;;) {
    const at = afterAnnotations(source, end)
    if (texts[at] === '<') {
      const closed = source.angleEnd(at)
      if (closed === undefined) return end
      end = closed
    } else if (texts[at] === '.') end = afterAnnotations(source, at + 1) + 1
    else if (texts[at] === '[' && texts[at + 1] === ']') end = at + 2
    else return end
  }
}

/** The end of the dimensions that begin at `index`, such as `[][]`. */
export function dimensionsEnd(source: JavaSource, index: number): number {
  let end = index
  for (;;) {
    const at = afterAnnotations(source, end)
    if (source.texts[at] !== '[' || source.texts[at + 1] !== ']') return end
    end = at + 2
  }
}

/** The first index from `from` to `to` outside brackets and type arguments whose token is one of `wanted`; else `to`. */
export function findOutside(source: JavaSource, from: number, to: number, wanted: ReadonlySet<string>): number {
  const { texts, closing } = source
  let at = from
  while (at < to) {
    const text = texts[at] ?? ''
    if (wanted.has(text)) return at
    if (text === '(' || text === '[' || text === '{') at = closing(at) + 1
    else if (text === '<') at = source.angleEnd(at) ?? at + 1
    else at++
  }
  return to
}

const comma: ReadonlySet<string> = new Set([','])

/** The parts between the commas outside brackets and type arguments; none for an empty range. */
export function splitAtCommas(source: JavaSource, from: number, to: number): readonly Range[] {
  const parts: Range[] = []
  for (let at = from; at < to; ) {
    const end = findOutside(source, at, to, comma)
    parts.push([at, end])
    at = end + 1
  }
  return parts
}
