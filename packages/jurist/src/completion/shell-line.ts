/** The last word of a line that is being typed in bash. */
export interface TypedWord {
  /** What the word means so far. */
  readonly value: string
  /** As it was typed. */
  readonly raw: string
  /** The quotation that is still open. */
  readonly quote: '' | "'" | '"'
  /** Where the open quotation begins in `raw`, after its mark. */
  readonly quotedFrom: number
}

/** A line in its words. Nothing is expanded: `$HOME` stays what it is. */
export function wordsOfLine(line: string): { readonly before: readonly string[]; readonly last: TypedWord } {
  const before: string[] = []
  let [value, raw, isWord] = ['', '', false]
  let [quote, quotedFrom]: [TypedWord['quote'], number] = ['', 0]
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? ''
    if (quote === '' && /\s/.test(character)) {
      if (isWord) before.push(value)
      ;[value, raw, isWord] = ['', '', false]
      continue
    }
    isWord = true
    raw += character
    const next = line[at + 1]
    if (character === '\\' && quote !== "'" && next !== undefined) {
      if (quote === '"' && !/["\\$`]/.test(next)) value += character
      value += next
      raw += next
      at += 1
    } else if (quote === '' && (character === "'" || character === '"')) {
      quote = character
      quotedFrom = raw.length
    } else if (character === quote) quote = ''
    else value += character
  }
  return { before, last: { value, raw, quote, quotedFrom } }
}

/**
 * What bash puts for the part of a word that it replaces: what was typed of it, and the rest, quoted so that the shell reads
 * the candidate and nothing else. `breaks`: the characters of `COMP_WORDBREAKS`, after the last of which bash replaces.
 */
export function bashReplacement(
  { value, raw, quote, quotedFrom }: TypedWord,
  candidate: string,
  breaks: string,
): string {
  const rest = quotedFor(quote, candidate.slice(value.length))
  return `${raw.slice(quote === '' ? afterLastBreak(raw, breaks) : quotedFrom)}${rest}`
}

function afterLastBreak(raw: string, breaks: string): number {
  let [after, quote] = [0, '']
  for (let at = 0; at < raw.length; at++) {
    const character = raw[at] ?? ''
    if (character === '\\' && quote !== "'") at += 1
    else if (quote !== '') {
      if (character === quote) [after, quote] = [at + 1, '']
    } else if (character === "'" || character === '"') quote = character
    else if (breaks.includes(character)) after = at + 1
  }
  return after
}

function quotedFor(quote: TypedWord['quote'], text: string): string {
  if (quote === "'") return text.replaceAll("'", "'\\''")
  // Bash reads ! in double quotes too.
  if (quote === '"') return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', `"'!'"`)
  return text.replace(/[^\p{L}\p{N}_./:=@%+,-]/gu, '\\$&')
}
