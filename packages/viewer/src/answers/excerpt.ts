/** Some lines of a long text, and how many lines there are before and after them. */
export interface Excerpt {
  readonly lines: readonly string[]
  readonly before: number
  readonly after: number
  /** The index in `lines` of the line that shows a failure; `null` where no line does. */
  readonly key: number | null
}

/** What test runners, compilers and stacks print on the line of a failure. */
const failure =
  /^\s*not ok\b|^\s*[✗✖✘×✕❌]\s|^\s*-{3} FAIL\b|\bFAIL(?:ED|URE)?\b|^E {2,}\S|^Traceback |\b(?:[A-Z]\w*)?(?:[Ee]rror|Exception|panicked)\b(?: \w+)?\s*(?::|\[|at\b)/

const colours = /\u001b\[[\d;]*m/g
/** Longer lines are searched in part. */
const longestSearched = 1_000
const linesBeforeKey = 2

/**
 * The part of an output that says why: from just before its first line that shows a failure, else the end, where programs
 * print what they conclude. A text that is hardly longer than `most` lines is shown whole.
 *
 * @example
 * excerptOf('ok 1\nnot ok 2 - sums\n').lines // ['ok 1', 'not ok 2 - sums']
 */
export function excerptOf(text: string, most = 24): Excerpt {
  const lines = linesOf(text)
  const found = lines.findIndex((line) => failure.test(line.slice(0, longestSearched).replace(colours, '')))
  const isWhole = lines.length <= most + most / 2
  const last = Math.max(0, lines.length - most)
  const from = isWhole ? 0 : found < 0 ? last : Math.min(last, Math.max(0, found - linesBeforeKey))
  const to = isWhole ? lines.length : from + most
  return {
    lines: lines.slice(from, to),
    before: from,
    after: lines.length - to,
    key: found < 0 ? null : found - from,
  }
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  while (lines.length > 1 && lines.at(-1)?.trim() === '') lines.pop()
  return lines
}
