import { counted } from './amounts.js'

/** Lines of TAP, test runners, compilers and stack traces that show what failed. */
const telling: readonly RegExp[] = [
  /^\s*not ok\b(?!.*#\s*(?:skip|todo)\b)/i,
  /^\s*(?:--- FAIL|FAIL(?:ED)?\b|\[ERROR\]|E {3})|^\s*[✗✖✘×✕❌]\s|^\s*thread '.{0,200}' panicked/,
  /\b(?:[A-Z]\w{0,80}(?:Error|Exception)|panic|fatal|error(?: ?\[?[A-Z]+\d+\]?)?)\b.{0,20}:/,
]
const colours = /\u001b\[[\d;]*m/g
const linesBefore = 1
const longestSearched = 2_000

/** Some lines of an output, and how many lines there are before and after them. */
export interface Excerpt {
  readonly lines: readonly string[]
  readonly before: number
  readonly after: number
  /** The index in `lines` of the line that names a failed test or an error; `null` where no line does. */
  readonly key: number | null
}

/**
 * The lines of an output around the first one that names a failed test or an error; the end of the output if no line
 * does.
 */
export function excerptOf(text: string, most: number): Excerpt {
  const lines = text.trimEnd().split('\n')
  const searched = lines.map((line) => line.slice(0, longestSearched).replace(colours, ''))
  const at = telling.map((pattern) => searched.findIndex((line) => pattern.test(line))).find((index) => index >= 0)
  const before = Math.max(0, Math.min((at ?? lines.length) - linesBefore, lines.length - most))
  const shown = lines.slice(before, before + most)
  return {
    lines: shown,
    before,
    after: lines.length - before - shown.length,
    key: at === undefined || at - before >= shown.length ? null : at - before,
  }
}

/** The lines of `excerptOf` as text, with what was left out around them. A line is at most `longest` characters. */
export function excerptLines(text: string, most: number, longest = 2_000): string {
  const { lines, before, after } = excerptOf(text, most)
  return [
    ...(before === 0 ? [] : [`… ${counted(before, 'line')} above`]),
    ...lines.map((line) => (line.length > longest ? `${line.slice(0, longest - 1)}…` : line)),
    ...(after === 0 ? [] : [`… ${counted(after, 'line')} below`]),
  ].join('\n')
}

/** A Markdown code block. Its fence is longer than any run of backticks in the text, so that the text cannot end it. */
export function fenced(text: string, language = 'text'): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
