import { agrees, contradicts, goesOn, isFarewell, isRefusal, namesFault, refusesBefore } from './agreement.js'
import { answerLinePattern, answerValues, answerWords } from './answer-lines.js'
import type { Line } from './answer-text.js'
import { quotedLines } from './quotation.js'
import { strip } from './reading.js'

/** Where an answer was found in its text. */
export interface Found {
  /** The line that announces it, or says it. */
  readonly index: number
  /** The line that it ends on. */
  readonly end: number
}

/** How an answer is to be written. */
export interface Form {
  /** Whether a line is another part of it, such as `SCORE: 8`. */
  readonly isPart?: (line: Line) => boolean
  /** Whether reasons are to be given after the answer, whatever stands before it. Default false. */
  readonly reasonsLast?: boolean
}

/**
 * Whether what a text says in these places is its own answer, and its last word. A model may quote a line such as
 * `Answer: YES` out of what it judges, and then say no in words that nobody foresaw, or be cut off. So nothing may follow
 * that cannot be understood as agreeing: no line at all; or, when the answer comes first, reasons for it.
 */
export function isLastWord(lines: readonly Line[], found: readonly Found[], form: Form = {}): boolean {
  const quoted = quotedLines(lines)
  const own = found.filter(({ index }) => quoted[index] === false)
  const [first] = own
  const last = own.at(-1)
  if (first === undefined || last === undefined) return false
  const again = new Set(found.flatMap(({ index, end }) => [index, end]))
  if (isRefused(lines, again)) return false
  const rest = lines.slice(last.end + 1).filter((_, offset) => !again.has(last.end + 1 + offset))
  const comesFirst = lines.slice(0, first.index).every((line) => isHeading(line) || form.isPart?.(line) === true)
  return restAgrees(rest, { ...form, comesFirst })
}

const answerLine = answerLinePattern(answerWords)

/** Whether another line says no, in the form of an answer. */
function isRefused(lines: readonly Line[], again: ReadonlySet<number>): boolean {
  const values = answerValues(lines, answerLine) ?? []
  return (
    lines.some(({ text }, index) => !again.has(index) && refusesBefore(text)) ||
    values.some(({ value, index }) => !again.has(index) && isRefusal(value))
  )
}

const heading =
  /^(?:sure|okay|ok|certainly|of course|here|my|the|final|overall|evaluation|assessment|judge?ment|verdict|answer|result|analysis|review)(?![\p{L}])[^.:]*(?:evaluation|assessment|judge?ment|verdict|answer|result|analysis|review|sure|okay|ok|certainly|of course|json|result)(?: is)?$|^(?:so|sure|okay|ok|certainly|evaluation|assessment|judge?ment|verdict|answer|result|analysis|review)$/u
const mostHeadingWords = 8

/** Whether a line says no more than that an answer comes. */
export function isHeading({ text }: Line): boolean {
  return text.length < 80 && text.split(' ').length <= mostHeadingWords && heading.test(text)
}

/** Whether each line after an answer agrees with it. */
function restAgrees(rest: readonly Line[], form: Form & { readonly comesFirst: boolean }): boolean {
  const { isPart, reasonsLast = false, comesFirst } = form
  const isFree = comesFirst || reasonsLast
  /** Reasons that are asked for may tell of faults that were mended. */
  const isAgainst = (line: Line) => contradicts(line) || namesFault(line, { stillThere: reasonsLast })
  /** The paragraph of the reasons, once there are some. */
  let headed: number | 'next' | undefined
  const holds = rest.every((line) => {
    if (isPart?.(line) === true) return true
    const given = givenReasons(line)
    if (given !== undefined) {
      headed = given.text === '' ? 'next' : line.paragraph
      return given.text === '' || (!isAgainst(given) && (isFree || agrees(given, { strictly: true })))
    }
    if (isAgainst(line)) return false
    if (headed === 'next') headed = line.paragraph
    if (line.paragraph === headed && comesFirst && goesOn(line)) return true
    if (line.paragraph === headed && !isFree) return agrees(line, { strictly: true })
    return isFarewell(line) || ((comesFirst || headed !== undefined) && isFree && agrees(line, { strictly: false }))
  })
  return holds && headed !== 'next'
}

const reasonHeading = /^(?:reasons?|reasoning|rationale|explanation)(?:[ *_~"'`)\]]*:(?<given>.*))?$/u

/** What stands beside the heading of reasons; `undefined` when a line is none. */
function givenReasons(line: Line): Line | undefined {
  const found = reasonHeading.exec(line.text)
  return found === null ? undefined : { ...line, raw: found[1] ?? '', text: strip(found[1] ?? '') }
}
