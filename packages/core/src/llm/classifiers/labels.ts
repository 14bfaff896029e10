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
  strip,
  stripStart,
} from './answer-text.js'
import { judgmentOf, type Label, type LabelOptions, type LabelSet, labelSet, type ReadLabel } from './label-set.js'
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
 * label, lines that are a label, and a last sentence that states which is better. Two different labels are ambiguous,
 * wherever they are; so is a passing label that is not the last word.
 */
export function labelReader(labels: LabelSet, form: LabelForm): LabelReader {
  const whole = wholeWords([...labels.keys()])
  const conclusions = conclusionReader(labels)
  const inFront = (value: string) => labelInFront(stripStart(value), labels, whole)
  const announcedBy = (value: string) => conclusions.inSentence(value) ?? inFront(value)
  return (text) => {
    const lines = answerText(text)
    const announced = answerValues(lines, form.announced ?? usualAnnouncement)?.map(
      ({ value, ...place }): Statement => ({ label: announcedBy(value), ...place }),
    )
    if (announced === undefined && form.answerLinesOnly) return 'none'
    const concluded = form.answerLinesOnly ? [] : conclusions.inAnswer(lines)
    const said = [...plainIn(lines, labels, inFront, concluded[0]), ...concluded]
    const label = oneOf(announced ?? said)
    if (label === 'none' || label === 'ambiguous') return label
    const all = [...(announced ?? []), ...said].toSorted((a, b) => a.end - b.end)
    const mentioned = concluded.length === 0 ? [] : conclusions.mentioned(lines)
    if (oneOf(all) !== label || mentioned.some((other) => other !== label)) return 'ambiguous'
    if (label.status !== 'pass' && concluded.length === 0) return label
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
  concluded: Conclusion | undefined,
): readonly Statement[] {
  const [first, ...others] = lines
  const opening = inFront(concluded?.index === 0 ? concluded.before : (first?.raw ?? ''))
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
 * with a label, any line that is one, or a conclusion such as `Therefore, Output (b) is better.` at the end decides.
 * Two different labels are not read, nor is a label followed by text that does not plainly agree. Labels may be
 * declared with brackets, quotes or emphasis around them.
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

/** A sentence that states which label is better. */
interface Conclusion extends Place {
  readonly label: Label
  /** The text before it on its line. */
  readonly before: string
}

/** Finds sentences such as `Therefore, Output (b) is better.` */
interface ConclusionReader {
  /** The label, if the text consists of one such sentence. */
  inSentence(text: string): Label | undefined
  /** The lines of an answer that consist of one, and the last sentence of the answer. */
  inAnswer(lines: readonly Line[]): readonly Conclusion[]
  /** The labels that any sentence states are better, whatever follows. */
  mentioned(lines: readonly Line[]): readonly Label[]
}

const concluding =
  '(?:therefore|thus|hence|so|overall|ultimately|finally|in conclusion|to conclude|in summary|as a result|consequently)'
const degree = '(?:clearly|definitely|slightly|marginally|somewhat|much|significantly|overall)'
const better = '(?:better|best|superior|preferable)'
const noun = '(?:output|answer|response|reply|assistant|option|candidate|choice|model|one)'

/** A label with brackets must be named with them. */
function conclusionReader(labels: LabelSet): ConclusionReader {
  const names = [...labels]
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([name, { opened = '', closed = '' }]) => `${escaped(opened)}${escaped(name)}${escaped(closed)}`)
    .join('|')
  const named = `(?:the )?(?:${noun} )?[*_\`]{0,3}(?<label>${names})[*_\`]{0,3}`
  const other = named.replace('?<label>', '?:')
  const sentence =
    `(?:${concluding},? )?(?:${named} is (?:${degree} )?(?:the )?(?:${degree} )?${better}(?: ${noun})?(?: overall)?(?: than ${other})?|` +
    `(?:the )?${better} ${noun} is ${named.replace('<label>', '<named>')})`
  const only = new RegExp(`^${sentence}$`, 'u')
  const behindOthers = new RegExp(`^${concluding},? `, 'u')
  const anywhere = new RegExp(`(?:^|[.!?] )[*_#> ]*${sentence}(?=$|[*_.,;:!]| (?:because|since|as|and|for) )`, 'gu')
  const labelOf = (groups: Groups) => labels.get(strip(groups?.['label'] ?? groups?.['named'] ?? ''))
  const read = (text: string) => labelOf(only.exec(text)?.groups)
  const inSentence = (text: string) => read(withoutMarks(text))
  return {
    inSentence,
    inAnswer(lines) {
      const whole = lines.map(({ raw }) => ({ label: inSentence(raw), before: '' }))
      const { before, sentence: end } = lastSentence(lines.at(-1)?.raw ?? '')
      if (before !== '' && behindOthers.test(end) && !isSpoken(before))
        whole.splice(-1, 1, { label: read(end), before })
      return whole.flatMap(({ label, ...one }, index) =>
        label === undefined ? [] : [{ label, ...one, index, end: index }],
      )
    },
    mentioned: (lines) =>
      lines.flatMap(({ raw }) => [...raw.matchAll(anywhere)].flatMap(({ groups }) => labelOf(groups) ?? [])),
  }
}

type Groups = { readonly [name: string]: string | undefined } | undefined

function lastSentence(line: string): { readonly before: string; readonly sentence: string } {
  const text = withoutMarks(line)
  const stop = Math.max(...['. ', '! ', '? '].map((mark) => text.lastIndexOf(mark)))
  const before = stop < 0 ? '' : text.slice(0, stop + 2)
  return { before, sentence: withoutMarks(text.slice(before.length)) }
}

/** Whether a quotation is open at the end of a text, or the text refers to another answer. */
function isSpoken(text: string): boolean {
  const count = (mark: string) => text.split(mark).length - 1
  return (
    count('"') % 2 === 1 ||
    count('“') > count('”') ||
    /(?:says|said|wrote|writes|reads|claims) ?:|my (?:own |final )?(?:answer|verdict) is/u.test(text)
  )
}

const longestEnd = 20
const markedStart = /^[\s*_`#>•·|]+/u
const markedEnd = /[\s*_`.!|]/u

/** Quotes and brackets stay. */
function withoutMarks(line: string): string {
  if (/\.\.\W*$/u.test(line.slice(-longestEnd))) return line
  let end = line.length
  while (end > 0 && markedEnd.test(line.slice(end - 1, end))) end -= 1
  return line.slice(0, end).replace(markedStart, '')
}
