import { checkOptions, option } from '../../options.js'
import { categorical } from '../../score.js'
import type { Classify, JudgeModelResponse } from '../model.js'
import {
  answerLinePattern,
  answerText,
  answerValues,
  answerWords,
  escaped,
  isComplete,
  type Line,
  stripStart,
} from './answer-text.js'
import { judgmentOf, type LabelOptions, type LabelSet, labelSet, type ReadLabel } from './label-set.js'
import { endsWell, type Form, isLastWord, type Place } from './last-word.js'
import { ofAnswer } from './whole-answer.js'

export type LabelReader = (text: string) => ReadLabel

export interface LabelForm extends Form {
  readonly answerLinesOnly: boolean
  /** Matches the start of an answer line. Default: `Answer:`, `Verdict:` and similar words. */
  readonly announced?: RegExp
}

interface Statement extends Place {
  readonly label: ReadLabel
}

const word = '[\\p{L}\\p{M}\\p{N}_]'
const usualAnnouncement = answerLinePattern(answerWords)

/**
 * Answer lines decide if there are any. Otherwise, unless answer lines are required: the first line that begins with a
 * label, and lines that are a label. Two different labels are ambiguous, wherever they are; so is a passing label that
 * is not the last word.
 */
export function labelReader(labels: LabelSet, form: LabelForm): LabelReader {
  const whole = wholeWords([...labels.keys()])
  const inFront = (value: string) => labelInFront(stripStart(value), labels, whole)
  return (text) => {
    const lines = answerText(text)
    const announced = answerValues(lines, form.announced ?? usualAnnouncement)?.map(
      ({ value, ...place }): Statement => ({ label: inFront(value), ...place }),
    )
    if (announced === undefined && form.answerLinesOnly) return 'none'
    const said = plainIn(lines, labels, inFront)
    const label = oneOf(announced ?? said)
    if (label === 'none' || label === 'ambiguous') return label
    const all = [...(announced ?? []), ...said].toSorted((a, b) => a.end - b.end)
    if (oneOf(all) !== label) return 'ambiguous'
    if (label.status !== 'pass') return label
    const last = all.findLast((statement) => statement.label === label)
    const isAnsweredOtherwise = announced?.some(({ label, index, end }) => label === 'none' && index === end) === true
    return last !== undefined && !isAnsweredOtherwise && isLastWord(lines, last, form) ? label : 'ambiguous'
  }
}

/**
 * The label at the start of the first line, and the other lines that are a label, or that begin with one if words
 * follow the first.
 */
function plainIn(
  lines: readonly Line[],
  labels: LabelSet,
  inFront: (value: string) => ReadLabel,
): readonly Statement[] {
  const [first, ...others] = lines
  const opening = inFront(first?.raw ?? '')
  const hasWords = opening !== 'none' && !labels.has(first?.text ?? '')
  const label = ({ raw, text }: Line) => (hasWords || labels.has(text) ? inFront(raw) : 'none')
  return [opening, ...others.map(label)].map((label, index) => ({ label, index, end: index }))
}

/** Longest labels first. Does not match within a word, nor a label with a hyphen or an apostrophe. */
function wholeWords(folded: readonly string[]): RegExp {
  const alternatives = folded.toSorted((a, b) => b.length - a.length).map(escaped)
  const before = `(?<!${word}|${word}['’-])`
  const after = `(?![\\p{L}\\p{M}\\p{N}]|_+[\\p{L}\\p{N}]|['’-][\\p{L}\\p{M}\\p{N}])`
  return new RegExp(`${before}(?:${alternatives.join('|')})${after}`, 'gu')
}

/** A passing label must end the line, or the text after it must agree with it. */
function labelInFront(value: string, labels: LabelSet, whole: RegExp): ReadLabel {
  const found = [...value.matchAll(whole)]
  const [first] = found
  const label = first?.index === 0 ? labels.get(first[0]) : undefined
  if (first === undefined || label === undefined) return 'none'
  if (found.some((other) => other[0] !== first[0] && isMention(value, other, labels))) return 'ambiguous'
  const after = value.slice(first[0].length)
  // The bracket that closes the label itself is not a separator.
  const rest = label.closed ? after.replace(closing, '') : after
  if (!isComplete(rest)) return 'none'
  return label.status === 'pass' && !endsWell(rest) ? 'ambiguous' : label
}

/** A label with brackets must have them in the text: `a` is not `(A)`. */
function isMention(value: string, { 0: text, index }: RegExpExecArray, labels: LabelSet): boolean {
  const { opened = '', closed = '' } = labels.get(text) ?? {}
  const rest = value.slice(index + text.length)
  return value.slice(0, index).endsWith(opened) && (rest === '' || rest.startsWith(closed))
}

const closing = /^[)\]}>*_`"'”’»]+/u

function oneOf(statements: readonly Statement[]): ReadLabel {
  const read = new Set(statements.map(({ label }) => label).filter((one) => one !== 'none'))
  const [first = 'none'] = read
  return read.size > 1 ? 'ambiguous' : first
}

/**
 * Reads one of several labels. Case, emphasis, quotes, brackets and stops around a label are ignored, and so are
 * reasons on other lines. A line such as `Answer: good` decides if there is one. Otherwise the first line that begins
 * with a label or any line that is one decides. Two different labels are not read, nor is a label followed by text that
 * does not plainly agree. Labels may be declared with brackets, quotes or emphasis around them.
 *
 * @param options labels by their meaning; `scores` gives pass and fail labels a number within [0, 1]
 * @returns a classifier; a match has a categorical score and the metadata `label`, spelt as declared; no match abstains
 * with the metadata `unread`: `'none'` or `'ambiguous'`
 * @throws `labels-invalid`, `option-invalid`
 *
 * @example
 * import { labels } from '@jurist/core/llm'
 *
 * labels({ pass: ['good', 'excellent'], fail: ['poor'], abstain: ['n/a'], scores: { good: 0.6, excellent: 1, poor: 0 } })
 */
export function labels(options: LabelOptions): Classify {
  const checked = checkOptions('labels', options, {
    pass: option.strings,
    fail: option.strings,
    abstain: option.strings,
    scores: option.record,
  })
  const { pass: passing = [], fail: failing = [], scores } = checked
  const known = labelSet(checked)
  const read = labelReader(known, { answerLinesOnly: false })
  const allowed = [...passing, ...failing]
  const scoreOf = (label: string) => categorical(label, allowed, scores && { scale: scores })
  return ofAnswer(async function labels(response: JudgeModelResponse) {
    return judgmentOf(read(response.text), response, known, scoreOf)
  })
}

/**
 * Reads one label for pass and one for fail, as `labels` does; the score is a boolean.
 *
 * @throws `labels-invalid`
 *
 * @example
 * import { passFail } from '@jurist/core/llm'
 *
 * passFail('YES', 'NO')
 */
export function passFail(passLabel = 'PASS', failLabel = 'FAIL'): Classify {
  const known = labelSet({ pass: [passLabel], fail: [failLabel] })
  const read = labelReader(known, { answerLinesOnly: false })
  return ofAnswer(async function passFail(response: JudgeModelResponse) {
    return judgmentOf(read(response.text), response, known)
  })
}

/**
 * Reads only lines such as `Answer: YES`, as `labels` does; the score is a boolean. For answers in which reasons, or
 * quotes from what was judged, might begin with a label.
 *
 * @param options default `YES` for pass, `NO` for fail
 * @throws `labels-invalid`, `option-invalid`
 *
 * @example
 * import { answerLine } from '@jurist/core/llm'
 *
 * answerLine({ pass: ['GROUNDED'], fail: ['MADE UP'] })
 */
export function answerLine(options?: {
  readonly pass?: readonly string[]
  readonly fail?: readonly string[]
}): Classify {
  const { pass: passing = ['YES'], fail: failing = ['NO'] } = checkOptions('answerLine', options, {
    pass: option.strings,
    fail: option.strings,
  })
  const known = labelSet({ pass: passing, fail: failing })
  const read = labelReader(known, { answerLinesOnly: true })
  return ofAnswer(async function answerLine(response: JudgeModelResponse) {
    return judgmentOf(read(response.text), response, known)
  })
}
