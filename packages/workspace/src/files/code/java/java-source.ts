import type { TokenStream } from '../token-stream.js'

interface Brackets {
  /** The greatest depth of nesting. */
  readonly depth: number
  /** Returns the index of the bracket that closes the one at `open`, or the number of tokens if it stays open. */
  closing(open: number): number
}

/**
 * Pairs the brackets of a stream in one pass without recursion, so that deep nesting in hostile input is counted
 * without exhausting the stack.
 */
function pairBrackets(texts: readonly string[]): Brackets {
  const partner = new Map<number, number>()
  const open: number[] = []
  let depth = 0
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index]
    if (text === '(' || text === '[' || text === '{') {
      open.push(index)
      if (open.length > depth) depth = open.length
    } else if (text === ')' || text === ']' || text === '}') {
      const start = open.pop()
      if (start !== undefined) partner.set(start, index)
    }
  }
  return { depth, closing: (index) => partner.get(index) ?? texts.length }
}

/** A token stream of Java with its brackets paired, for the scanners of declarations. */
export interface JavaSource extends TokenStream, Brackets {
  /** Returns the index after the `>` that closes the type arguments opened at `open`; `undefined` for a comparison. */
  angleEnd(open: number): number | undefined
}

/** Pairs the brackets of `stream`, including those of type arguments. */
export function javaSource(stream: TokenStream): JavaSource {
  const brackets = pairBrackets(stream.texts)
  const angles = pairAngles(stream.texts, brackets)
  return { ...stream, ...brackets, ...angles, depth: Math.max(brackets.depth, angles.depth) }
}

/** The pairs of `<` and `>` of type arguments and parameters. */
interface Angles {
  /** The greatest depth of nesting. */
  readonly depth: number
  /** Returns the index after the `>` that closes the `<` at `open`; `undefined` if it is a comparison. */
  angleEnd(open: number): number | undefined
}

const typePunctuation: ReadonlySet<string> = new Set(['.', ',', '?', '&', '[', ']'])

/**
 * Pairs the angle brackets of types in one pass. In valid Java, there are only tokens of types between such brackets,
 * and a comparison never closes like them: a comma after it begins a declarator, which has no `>` before its `=`. So
 * any other token closes all open ones.
 */
function pairAngles(texts: readonly string[], { closing }: Pick<Brackets, 'closing'>): Angles {
  const ends = new Map<number, number>()
  let open: number[] = []
  let depth = 0
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? ''
    if (text === '<') {
      open.push(index)
      if (open.length > depth) depth = open.length
    } else if (text === '>') {
      const start = open.pop()
      if (start !== undefined) ends.set(start, index + 1)
    } else if (open.length > 0) {
      if (text === '@') index = annotationEnd({ texts, closing }, index) - 1
      else if (!typePunctuation.has(text) && !isWord(text)) open = []
    }
  }
  return { depth, angleEnd: (start) => ends.get(start) }
}

/** Returns the end of the annotation whose `@` is at `index`. */
export function annotationEnd({ texts, closing }: Pick<JavaSource, 'texts' | 'closing'>, index: number): number {
  let end = index + 2
  while (texts[end] === '.') end += 2
  return texts[end] === '(' ? closing(end) + 1 : end
}

/** Whether `text` is an identifier or a keyword. */
export function isWord(text: string | undefined): boolean {
  return text !== undefined && /^[A-Za-z_$\u0080-\uffff]/.test(text)
}

/** Two token indexes, the second one exclusive. */
export type Range = readonly [from: number, to: number]

/** Skips the annotations that begin at `index`. */
export function afterAnnotations(source: JavaSource, index: number): number {
  let at = index
  while (source.texts[at] === '@' && source.texts[at + 1] !== 'interface') at = annotationEnd(source, at)
  return at
}

/** Returns the end of the type that begins at `index`: annotations, a name with type arguments, dimensions. */
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

/** Returns the end of the dimensions that begin at `index`, such as `[][]`. */
export function dimensionsEnd(source: JavaSource, index: number): number {
  let end = index
  for (;;) {
    const at = afterAnnotations(source, end)
    if (source.texts[at] !== '[' || source.texts[at + 1] !== ']') return end
    end = at + 2
  }
}

/**
 * Returns the first index from `from` to `to`, outside brackets and type arguments, whose token is one of `wanted`;
 * otherwise `to`.
 */
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

/** Returns the parts between the commas outside brackets and type arguments; none for an empty range. */
export function splitAtCommas(source: JavaSource, from: number, to: number): readonly Range[] {
  const parts: Range[] = []
  for (let at = from; at < to; ) {
    const end = findOutside(source, at, to, comma)
    parts.push([at, end])
    at = end + 1
  }
  return parts
}
