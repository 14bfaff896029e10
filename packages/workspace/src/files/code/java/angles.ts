import type { Brackets } from '../brackets.js'

/** How the `<` and `>` of type arguments and parameters pair up. */
interface Angles {
  /** The greatest nesting. */
  readonly depth: number
  /** The index behind the `>` that closes the `<` at `open`; `undefined` when it is a comparison. */
  angleEnd(open: number): number | undefined
}

const typePunctuation: ReadonlySet<string> = new Set(['.', ',', '?', '&', '[', ']'])

/**
 * Pairs the angle brackets of types in one pass. In valid Java nothing but the tokens of types stands between such
 * brackets, and a comparison never closes like them: a comma behind it begins a declarator, which has no `>` before its
 * `=`. So any other token ends all that were open.
 *
 * @example
 * pairAngles(['A', '<', 'B', '>'], pairBrackets([])).angleEnd(1) // 4
 */
export function pairAngles(texts: readonly string[], { closing }: Pick<Brackets, 'closing'>): Angles {
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
      if (text === '@') index = annotationEnd(texts, closing, index) - 1
      else if (!typePunctuation.has(text) && !isWord(text)) open = []
    }
  }
  return { depth, angleEnd: (start) => ends.get(start) }
}

/** The end of the annotation whose `@` stands at `index`. */
export function annotationEnd(texts: readonly string[], closing: Brackets['closing'], index: number): number {
  let end = index + 2
  while (texts[end] === '.') end += 2
  return texts[end] === '(' ? closing(end) + 1 : end
}

/** Whether `text` is an identifier or a keyword. */
export function isWord(text: string | undefined): boolean {
  return text !== undefined && /^[A-Za-z_$\u0080-\uffff]/.test(text)
}
