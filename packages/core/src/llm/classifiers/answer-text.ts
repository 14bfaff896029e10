/** Characters without width, and others that are not visible. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu
/** White space of any kind, except line breaks. */
const spaces = /(?:(?![\r\n\u2028\u2029])[\p{White_Space}])+/gu
const lineEnd = /\r\n|[\n\r\u2028\u2029]/

/**
 * Characters that may surround a label. A `~` strikes out, a dash directly before a character is a sign, and `[ ]` is
 * not ticked.
 */
const wrapping = '\\s*_`#>•·|"\'‘’“”«»()\\[\\]{}.,;:✅✔☑👍'
const dash = '[-–—]'
const wrappedStart = new RegExp(`^(?:(?!\\[ \\])[${wrapping}]|${dash}(?=\\s))+`, 'u')
const wrappedEnd = new RegExp(`[${wrapping}~!–—-]`, 'u')
const unsignedStart = new RegExp(`^(?:(?!\\.\\d|\\[ \\])[${wrapping}]|${dash}(?=\\s))+`, 'u')
/** A separator: a rule, or the border of a block of code. */
const border = /^\s*(?:(?:[-–—=]\s*)+|~{3,}\w*\s*)$/u

/** Removes invisible characters and makes compatible forms equal (NFKC). */
export function plain(text: string): string {
  return text.replace(invisible, '').normalize('NFKC')
}

/** Prepares a string for comparison: `plain`, with one space for each run of white space, in lower case. Line breaks stay. */
export function fold(text: string): string {
  return plain(text).replace(spaces, ' ').toLowerCase()
}

export function linesOf(text: string): readonly string[] {
  return text.split(lineEnd)
}

/** Keeps a leading `!`, since it may mean "not". */
export function strip(line: string): string {
  return stripEnd(stripStart(line))
}

export function stripStart(line: string): string {
  return line.replace(wrappedStart, '')
}

/** Keeps a point directly before a digit. */
export function stripStartOfNumber(line: string): string {
  return line.replace(unsignedStart, '')
}

function stripEnd(line: string): string {
  // A regular expression anchored at the end alone would try every start; walking backwards is linear.
  let end = line.length
  while (end > 0 && wrappedEnd.test(line.slice(end - 1, end))) end -= 1
  return line.slice(0, end)
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const separator = /^(?:[,;:!)\]}>*_"'`]|\.(?![\p{L}\p{N}])| [-–—]| ?[([{:=,;|])/u

/** Only marks, or a separator, may follow. */
export function isComplete(rest: string): boolean {
  return strip(rest) === '' || separator.test(rest)
}

export interface Line {
  /** Folded, with its marks. */
  readonly raw: string
  /** Without the marks around it. */
  readonly text: string
  /** Equal for the lines of one paragraph. */
  readonly paragraph: number
}

/** Folded, without lines that contain only marks and spaces. Three dots are kept: something is left open. */
export function answerText(text: string): readonly Line[] {
  const lines: Line[] = []
  let paragraph = 0
  for (const raw of linesOf(fold(text))) {
    const stripped = border.test(raw) ? '' : strip(raw)
    if (stripped !== '') lines.push({ raw, text: stripped, paragraph })
    else if (/\.\.\.|~/.test(raw) && !border.test(raw)) lines.push({ raw, text: raw.trim(), paragraph })
    else paragraph += 1
  }
  return lines
}

/** Words of lines such as `**Final answer:** YES`: those that announce the value, and those that may precede them. */
export interface AnswerLineWords {
  readonly leading: readonly string[]
  readonly announcing: readonly string[]
}

export const answerWords: AnswerLineWords = {
  leading: ['the', 'my', 'our', 'your', 'final', 'overall'],
  announcing: ['answer', 'verdict', 'label', 'judgment', 'judgement', 'decision'],
}
export const scoreWords: AnswerLineWords = {
  leading: [...answerWords.leading, 'total'],
  announcing: ['score', 'rating', 'grade'],
}

/** Matches the start of an answer line, up to its colon or equals sign. */
export function answerLinePattern({ leading, announcing }: AnswerLineWords): RegExp {
  const filling = '[*_"\'`)\\]]*'
  return new RegExp(
    `^(?:(?:${leading.join('|')})[*_]* [*_]*)*(?:${announcing.join('|')})(?:${filling} is(?![a-z]))?[ *_"'\`)\\]]*[:=]`,
  )
}

export interface AnswerValue {
  readonly value: string
  /** The line that announces the value. */
  readonly index: number
  /** The line that contains the value: the same one, or the next. */
  readonly end: number
}

/**
 * A heading or a bold line without a colon counts too. An empty value is taken from the next line, unless that is an
 * answer line itself.
 *
 * @returns `undefined` when no line is an answer line
 */
export function answerValues(lines: readonly Line[], pattern: RegExp): readonly AnswerValue[] | undefined {
  const rests = lines.map(({ raw }) => restOf(raw, pattern))
  if (rests.every((rest) => rest === undefined)) return undefined
  return rests.flatMap((rest, index) => {
    if (rest === undefined) return []
    if (strip(rest) !== '') return [{ value: rest, index, end: index }]
    const next = lines[index + 1]
    return next === undefined || rests[index + 1] !== undefined ? [] : [{ value: next.raw, index, end: index + 1 }]
  })
}

function restOf(line: string, pattern: RegExp): string | undefined {
  const start = stripStart(line)
  const found = pattern.exec(start)
  if (found !== null) return start.slice(found[0].length)
  const heading = /^\s*(?:#|\*\*)/u.test(line) ? `${strip(line)}:` : undefined
  return heading !== undefined && pattern.exec(heading)?.[0] === heading ? '' : undefined
}

const start =
  /^(?:[^\S\r\n\u2028\u2029]|[*_~`#><\-•·|"'‘’“”«»()[\]{}.,;:–—])*(?:reasoning|reason|rationale|explanation)[ *_~"'`)\]]*[:：][*_~`]*/imu

/**
 * Returns the text after the first line that begins with `Reasoning:` (or `Reason`, `Rationale`, `Explanation`).
 * Without one, returns the whole text except a first and a last line that contain only the answer.
 *
 * @param otherwise the label or the score that was read, for an answer without reasons
 */
export function reasoningOf(text: string, otherwise: string): string {
  const found = start.exec(text)
  const after = found === null ? text : text.slice(found.index + found[0].length)
  return withoutAnswerLines(after, otherwise) || text.trim() || otherwise
}

const announced = [answerLinePattern(answerWords), answerLinePattern(scoreWords)]
/** Enough for ` out of 10`, and marks. */
const longestUnit = 12

function withoutAnswerLines(text: string, answer: string): string {
  const lines = text.trim().split(lineEnd)
  if (isAnswerLine(lines[0] ?? '', answer)) lines.shift()
  while (lines.length > 0 && (lines.at(-1)?.trim() === '' || isAnswerLine(lines.at(-1) ?? '', answer))) lines.pop()
  return lines.join('\n').trim()
}

/** Whether a line contains the answer, announced or not, and no reason. */
function isAnswerLine(line: string, answer: string): boolean {
  const raw = fold(line)
  const value = announced.reduce<string | undefined>((rest, pattern) => rest ?? restOf(raw, pattern), undefined)
  const said = strip(value ?? raw)
  const after = said.startsWith(fold(answer)) ? said.slice(answer.length) : undefined
  return (
    after === '' || (after !== undefined && value !== undefined && after.length <= longestUnit && /^\W/u.test(after))
  )
}
