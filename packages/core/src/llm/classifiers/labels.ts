import { JuristError } from '../../errors.js'
import type { JsonObject } from '../../json.js'
import { abstain, fail, type Judgment, pass } from '../../judgment.js'
import { checkOptions, option, printed } from '../../options.js'
import { type CategoricalScore, categorical } from '../../score.js'
import { type Classify, type JudgeModelResponse, type Unread, unreadable } from '../model.js'
import {
  answerLinePattern,
  answerText,
  answerValues,
  answerWords,
  escaped,
  fold,
  isComplete,
  type Line,
  linesOf,
  reasoningOf,
  strip,
  stripStart,
} from './answer-text.js'
import { endsWell, type Form, isLastWord, type Place } from './last-word.js'
import { labelProbability } from './probability.js'
import { ofAnswer } from './whole-answer.js'

/** Options of `labels`. */
export interface LabelOptions {
  readonly pass?: readonly string[]
  readonly fail?: readonly string[]
  readonly abstain?: readonly string[]
  /** A number within [0, 1] for pass and fail labels. */
  readonly scores?: { readonly [label: string]: number }
}

export interface Label {
  readonly text: string
  readonly status: 'pass' | 'fail' | 'abstain'
  /** The brackets before it, such as `[[`. */
  readonly opened?: string
  /** The closing brackets, such as `]]`; also one that opened within the label. */
  readonly closed?: string
}

/** Keyed by the folded form of the label, without the marks around it. */
export type LabelSet = ReadonlyMap<string, Label>

/** @throws `labels-invalid` naming every problem */
function labelSet(options: LabelOptions): LabelSet {
  const { pass = [], fail = [], abstain = [], scores = {} } = options
  const all: readonly DeclaredLabel[] = [
    ...pass.map((text) => ({ text, status: 'pass' as const })),
    ...fail.map((text) => ({ text, status: 'fail' as const })),
    ...abstain.map((text) => ({ text, status: 'abstain' as const })),
  ]
  const problems = [
    ...(pass.length + fail.length === 0 ? [{ label: '', problem: 'there is no label for pass or fail' }] : []),
    ...all.flatMap((label, index) => problemOf(label, all.slice(0, index))),
    ...Object.entries(scores).flatMap(([label, score]) => scoreProblem(label, score, [...pass, ...fail])),
  ]
  const [first] = problems
  if (first !== undefined)
    throw new JuristError('labels-invalid', `Labels: ${problems.map(({ problem }) => problem).join('; ')}.`, {
      label: first.label,
    })
  return new Map(all.map((label) => [bare(label.text), { ...label, ...bracketsOf(label.text) }]))
}

type DeclaredLabel = Pick<Label, 'text' | 'status'>

/** Folded like the answers it is compared with. */
function bare(text: string): string {
  return strip(fold(text))
}

const pairs: readonly (readonly [open: string, close: string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]

/** The brackets around a label, or the one that it leaves open: `Output (a`. */
function bracketsOf(text: string): Required<Pick<Label, 'opened' | 'closed'>> {
  const folded = fold(text)
  const label = bare(text)
  const at = folded.indexOf(label)
  const [closed = ''] = /^[)\]}>]*/.exec(folded.slice(at + label.length)) ?? []
  const open = pairs.find(([start, end]) => label.lastIndexOf(start) > label.lastIndexOf(end))
  return { opened: (/[([{<]*$/.exec(folded.slice(0, at)) ?? [''])[0], closed: closed || (open?.[1] ?? '') }
}

interface LabelProblem {
  readonly label: string
  readonly problem: string
}

/** Stops and signs that belong to the sentence around a label, and not to the label. */
const foreign = /[^*_~`#|"'‘’“”«»()[\]{}<>]/u

function problemOf({ text }: DeclaredLabel, earlier: readonly DeclaredLabel[]): readonly LabelProblem[] {
  if (typeof text !== 'string') return [{ label: printed(text), problem: `${printed(text)} must be a string` }]
  const folded = fold(text)
  const because = (problem: string) => [{ label: text, problem: `${printed(text)} ${problem}` }]
  if (folded.trim() === '') return because('is blank')
  if (linesOf(folded).length > 1) return because('goes over more than one line')
  const label = bare(text)
  if (label === '') return because('is nothing but marks that answers are freed from')
  const at = folded.indexOf(label)
  if (foreign.test(folded.slice(0, at) + folded.slice(at + label.length)) || folded.startsWith('!'))
    return because('begins or ends with a mark that answers are freed from; leave it out')
  if (earlier.some((other) => bare(String(other.text)) === label))
    return because('is given twice; case and marks around a label do not count')
  return []
}

function scoreProblem(label: string, score: unknown, labels: readonly string[]): readonly LabelProblem[] {
  const because = (problem: string) => [{ label, problem: `the score of ${printed(label)} ${problem}` }]
  if (!labels.includes(label)) return because('belongs to no label for pass or fail')
  if (typeof score !== 'number' || !(score >= 0 && score <= 1))
    return because(`is ${printed(score)}, not within 0 to 1`)
  return []
}

/** Returns the one label in a string, or the reason why there is not exactly one. */
export type ReadLabel = Label | Unread

/** Includes the probability of the label among all labels, if the model returns log-probabilities. */
export function judgmentOf(
  read: ReadLabel,
  { text, logprobs }: JudgeModelResponse,
  labels: LabelSet,
  scoreOf?: (label: string) => CategoricalScore,
): Judgment {
  if (read === 'none') return unreadable(read, 'the answer says none of the labels, or not clearly')
  if (read === 'ambiguous')
    return unreadable(read, 'the answer says more than one label, or continues in a way that may contradict it')
  const texts = [...labels.values()].map((label) => label.text)
  const confidence = labelProbability(logprobs, read.text, texts)
  const metadata = { label: read.text, ...(confidence === undefined ? {} : { confidence }) }
  return labelled(read, reasoningOf(text, read.text), metadata, scoreOf)
}

function labelled(
  { text, status }: Label,
  reasoning: string,
  metadata: JsonObject,
  scoreOf?: (label: string) => CategoricalScore,
): Judgment {
  const scored = () => ({ metadata, ...(scoreOf === undefined ? {} : { score: scoreOf(text) }) })
  switch (status) {
    case 'pass':
      return pass(reasoning, scored())
    case 'fail':
      return fail(reasoning, scored())
    case 'abstain':
      return abstain(reasoning, { metadata })
    default:
      return status satisfies never
  }
}

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
