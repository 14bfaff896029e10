/** How the round, square and curly brackets of a token stream pair up, whatever their kinds. */
export interface Brackets {
  /** The greatest nesting. */
  readonly depth: number
  /** The index of the bracket that closes the one at `open`; the number of tokens when nothing closes it. */
  closing(open: number): number
}

/**
 * Pairs the brackets of a stream in one pass without recursion, so that hostile nesting is counted and not suffered.
 *
 * @example
 * pairBrackets(['(', '(', ')', ')']).closing(0) // 3
 */
export function pairBrackets(texts: readonly string[]): Brackets {
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
