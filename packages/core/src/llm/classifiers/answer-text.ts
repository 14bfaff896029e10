import { type Classify, type JudgeModelResponse, unreadable } from '../model.js'

/** Characters without width, and others that are drawn as nothing. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu
/** White space of any kind that does not end a line. */
const spaces = /(?:(?![\r\n\u2028\u2029])[\p{White_Space}])+/gu
const lineEnd = /\r\n|[\n\r\u2028\u2029]/

const wrapping = '\\s*_~`#><\\-•·|"\'‘’“”«»()\\[\\]{}.,;:–—'
const wrappedStart = new RegExp(`^[${wrapping}]+`, 'u')
const wrappedEnd = new RegExp(`[${wrapping}!]+$`, 'u')
const unsignedStart = new RegExp(`^(?:(?![-–—.]\\d)[${wrapping}])+`, 'u')

/**
 * A text as it is compared: compatible forms made equal (NFKC), invisible characters removed, every run of white space
 * one space, lower case. Line ends stay.
 */
export function fold(text: string): string {
  return text.replace(invisible, '').normalize('NFKC').replace(spaces, ' ').toLowerCase()
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

/** As `strip`, but what is directly in front of a digit and might be its sign or its point stays. */
export function stripAroundNumber(line: string): string {
  return stripEnd(line.replace(unsignedStart, ''))
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

const separator = /^(?:[,;:!)\]}>*_~"'`]|\.(?![\p{L}\p{N}])| [-–—]| ?[([{:=,;|])/u

/** What follows a label or a number when it is complete: nothing, or a separator. Gives what comes after. */
export function afterSeparator(rest: string): string | undefined {
  return rest === '' ? '' : separator.test(rest) ? rest.replace(separator, '') : undefined
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
    const stripped = strip(raw)
    if (stripped !== '') lines.push({ raw, text: stripped, paragraph })
    else if (raw.includes('...')) lines.push({ raw, text: '...', paragraph })
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
  const filling = '[*_~"\'`)\\]]*'
  return new RegExp(
    `^(?:(?:${leading.join('|')})[*_~]* [*_~]*)*(?:${announcing.join('|')})(?:${filling} is(?![a-z]))?[ *_~"'\`)\\]]*[:=]`,
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
 * The values of the answer lines. A value that is empty is taken from the next line, unless that is an answer line itself.
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
  return found === null ? undefined : start.slice(found[0].length)
}

/** The keys by which models say why they stopped; bridges put the name of a framework and a dot in front. */
const reasonKeys: ReadonlySet<string> = new Set([
  ...['finishReason', 'finish_reason', 'finishReasons', 'stopReason', 'stop_reason', 'done_reason', 'doneReason'],
])
/** What they say when an answer is not whole. */
const cutReasons: ReadonlySet<string> = new Set([
  ...['length', 'max-tokens', 'max-output-tokens', 'max-completion-tokens', 'token-limit', 'model-length'],
  ...['model-context-window-exceeded', 'incomplete', 'content-filter', 'safety', 'recitation'],
])

/** Whether the metadata of an answer say that the model was stopped before its end. */
function isCutOff({ metadata = {} }: JudgeModelResponse): boolean {
  return Object.entries(metadata).some(([key, value]) => {
    const name = key.slice(key.lastIndexOf('.') + 1)
    if (name === 'truncated') return value === true
    const reasons: readonly unknown[] = Array.isArray(value) ? value : [value]
    return (
      reasonKeys.has(name) && reasons.some((reason) => cutReasons.has(String(reason).toLowerCase().replace(/_/g, '-')))
    )
  })
}

/** The classifier, which abstains for an answer that was cut off: what is missing might have said the opposite. */
export function unlessCutOff(classify: Classify): Classify {
  const whole: Classify = (response, context) =>
    isCutOff(response)
      ? unreadable('none', 'the answer was cut off before its end: give the model more tokens with options.maxTokens')
      : classify(response, context)
  return Object.defineProperty(whole, 'name', { value: classify.name, configurable: true })
}

const voices =
  /(?<![\p{L}])(?:says?|said|saying|claim(?:s|ed|ing)?|stat(?:es|ed|ing)|reads?|contain(?:s|ed|ing)?|includ(?:es|ed|ing)|writes?|wrote|written|writing|print(?:s|ed|ing)?|end(?:s|ed|ing)?|beg[iua]n(?:s|ning)?|start(?:s|ed|ing)?|quot(?:es?|ed|ing|ation)|cit(?:es?|ed|ing)|tells?|told|asks?|asked|tr(?:y|ies|ied|ying)|wants?|wanted|demand(?:s|ed|ing)?|instruct(?:s|ed|ing)?|inject(?:s|ed|ion|ing)?|output|text|lines?|agent|file|document|page|data|excerpt|quote|passage|candidate|it|they)(?![\p{L}])/u
const concluding = /(?<![\p{L}])(?:so|thus|hence|therefore|then)[^\p{L}]*$/u
const own =
  /(?<![\p{L}])(?:my|our|final|overall)(?: own)?(?: final| overall)? (?:answer|verdict|judge?ment|decision|conclusion|assessment|evaluation|score|rating|grade|vote|line)(?![\p{L}])/u
const opens = /[:\-–—…]["'“‘`*_~\s]*$/u
const continuing = /^(?:so|thus|hence|therefore|which)(?![\p{L}])/u
const reasons = /^(?:reason(?:s|ing)?|rationale|explanation)(?![\p{L}])/u
const listed = /^\s*(?:[-*•+]|\d{1,3}[.)]) /u
const longestSentence = 300

/**
 * For each line, whether it is a quotation: it is in a block quote beside lines that are not, or after a line such as
 * `The output says:`, as far as that goes.
 */
export function quotedLines(lines: readonly Line[]): readonly boolean[] {
  const isBlock = (line: Line) => line.raw.trimStart().startsWith('>')
  const isMixed = lines.some((line) => !isBlock(line))
  let isOpen = false
  return lines.map((line, index) => {
    const previous = lines[index - 1]
    if (previous !== undefined && introduces(previous)) isOpen = !isPoint(line)
    else if (continuing.test(line.text) || reasons.test(line.text)) isOpen = false
    return isOpen || (isMixed && isBlock(line))
  })
}

/** Whether a line is a point of a list, and no quoted answer in one. */
function isPoint({ raw }: Line): boolean {
  return listed.test(raw) && !/[:=]/.test(raw)
}

/** Whether a line announces somebody else's words. */
export function introduces({ raw, text }: Pick<Line, 'raw' | 'text'>): boolean {
  const after = raw.slice(raw.lastIndexOf(text) + text.length)
  if (!opens.test(after)) return false
  const end = text.slice(-longestSentence)
  const sentence = end.slice(Math.max(...['.', '!', '?'].map((stop) => end.lastIndexOf(stop))) + 1)
  return voices.test(sentence) && !concluding.test(sentence) && !own.test(sentence)
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
