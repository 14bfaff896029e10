/** Characters without width, and others that are drawn as nothing. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu
/** White space of any kind that does not end a line. */
const spaces = /(?:(?![\r\n\u2028\u2029])[\p{White_Space}])+/gu
const lineEnd = /\r\n|[\n\r\u2028\u2029]/

/** What may be around a label. A `~` strikes out, a dash that touches what follows is a sign, and `[ ]` is not ticked. */
const wrapping = '\\s*_`#>•·|"\'‘’“”«»()\\[\\]{}.,;:✅✔☑👍'
const dash = '[-–—]'
const wrappedStart = new RegExp(`^(?:(?!\\[ \\])[${wrapping}]|${dash}(?=\\s))+`, 'u')
const wrappedEnd = new RegExp(`[${wrapping}~!–—-]`, 'u')
const unsignedStart = new RegExp(`^(?:(?!\\.\\d|\\[ \\])[${wrapping}]|${dash}(?=\\s))+`, 'u')
/** A line that only parts others: a rule, or the border of a block of code. */
const border = /^\s*(?:(?:[-–—=]\s*)+|~{3,}\w*\s*)$/u

/** A text without invisible characters, with compatible forms made equal (NFKC). */
export function plain(text: string): string {
  return text.replace(invisible, '').normalize('NFKC')
}

/** A text as it is compared: `plain`, every run of white space one space, lower case. Line ends stay. */
export function fold(text: string): string {
  return plain(text).replace(spaces, ' ').toLowerCase()
}

/** The lines of a text, without their ends. */
export function linesOf(text: string): readonly string[] {
  return text.split(lineEnd)
}

/** A line without the marks, quotes, brackets and stops around it; a `!` in front stays, since it may mean "not". */
export function strip(line: string): string {
  return stripEnd(stripStart(line))
}

/** As `strip`, at the start only. */
export function stripStart(line: string): string {
  return line.replace(wrappedStart, '')
}

/** As `stripStart`, but a point directly in front of a digit stays. */
export function stripStartOfNumber(line: string): string {
  return line.replace(unsignedStart, '')
}

function stripEnd(line: string): string {
  // A regex anchored at the end alone would try every start; from the back it is one walk.
  let end = line.length
  while (end > 0 && wrappedEnd.test(line.slice(end - 1, end))) end -= 1
  return line.slice(0, end)
}

/** A text as a part of the source of a regular expression. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const separator = /^(?:[,;:!)\]}>*_"'`]|\.(?![\p{L}\p{N}])| [-–—]| ?[([{:=,;|])/u

/** Whether a label or a number is complete with what follows it: nothing but marks, or a separator. */
export function isComplete(rest: string): boolean {
  return strip(rest) === '' || separator.test(rest)
}

/** A line of an answer with something in it. */
export interface Line {
  /** Folded, with its marks. */
  readonly raw: string
  /** Without the marks around it. */
  readonly text: string
  /** The lines of a paragraph have the same number. */
  readonly paragraph: number
}

/** The lines of a text that hold more than marks and spaces, folded. Three dots are more: something is left open. */
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

/** Lines such as `**Final answer:** YES`: which words announce the value, and which may precede them. */
export interface AnswerLineWords {
  readonly leading: readonly string[]
  readonly announcing: readonly string[]
}

/** What announces a label. */
export const answerWords: AnswerLineWords = {
  leading: ['the', 'my', 'our', 'your', 'final', 'overall'],
  announcing: ['answer', 'verdict', 'label', 'judgment', 'judgement', 'decision'],
}
/** What announces a score. */
export const scoreWords: AnswerLineWords = {
  leading: [...answerWords.leading, 'total'],
  announcing: ['score', 'rating', 'grade'],
}

/** Finds the start of an answer line, up to its colon or equals sign. */
export function answerLinePattern({ leading, announcing }: AnswerLineWords): RegExp {
  const filling = '[*_"\'`)\\]]*'
  return new RegExp(
    `^(?:(?:${leading.join('|')})[*_]* [*_]*)*(?:${announcing.join('|')})(?:${filling} is(?![a-z]))?[ *_"'\`)\\]]*[:=]`,
  )
}

/** The value of an answer line, and the lines that contain it. */
export interface AnswerValue {
  readonly value: string
  /** The line that announces it. */
  readonly index: number
  /** The line that holds it: the same one, or the next. */
  readonly end: number
}

/**
 * The values of the answer lines; a heading or a bold line without a colon counts. An empty value is taken from the next line,
 * unless that is an answer line itself.
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
 * The reasons in an answer: what follows the first line that begins with `Reasoning:` (or `Reason`, `Rationale`,
 * `Explanation`), else the whole text, without a first and a last line that only give the answer; else `otherwise`.
 *
 * @param otherwise the label or the score that was read
 */
export function reasoningOf(text: string, otherwise: string): string {
  const found = start.exec(text)
  const after = found === null ? text : text.slice(found.index + found[0].length)
  return withoutAnswerLines(after, otherwise) || text.trim() || otherwise
}

const announced = [answerLinePattern(answerWords), answerLinePattern(scoreWords)]
/** ` out of 10`, and marks. */
const longestUnit = 12

function withoutAnswerLines(text: string, answer: string): string {
  const lines = text.trim().split(lineEnd)
  if (isAnswerLine(lines[0] ?? '', answer)) lines.shift()
  while (lines.length > 0 && (lines.at(-1)?.trim() === '' || isAnswerLine(lines.at(-1) ?? '', answer))) lines.pop()
  return lines.join('\n').trim()
}

/** Whether a line is the answer, announced or not, and gives no reason. */
function isAnswerLine(line: string, answer: string): boolean {
  const raw = fold(line)
  const value = announced.reduce<string | undefined>((rest, pattern) => rest ?? restOf(raw, pattern), undefined)
  const said = strip(value ?? raw)
  const after = said.startsWith(fold(answer)) ? said.slice(answer.length) : undefined
  return (
    after === '' || (after !== undefined && value !== undefined && after.length <= longestUnit && /^\W/u.test(after))
  )
}
