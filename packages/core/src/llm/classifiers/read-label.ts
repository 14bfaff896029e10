import type { Unread } from '../classify.js'
import { retractsOnItsLine } from './agreement.js'
import { answerLinePattern, answerValues, answerWords } from './answer-lines.js'
import type { Line } from './answer-text.js'
import { answerText } from './answer-text.js'
import type { Label, LabelSet } from './label-set.js'
import type { Form } from './last-word.js'
import { isLastWord } from './last-word.js'
import { afterSeparator, strip } from './reading.js'

/** The one label that a text says, or why there is none. */
export type ReadLabel = Label | Unread

/** Reads a text. */
export type LabelReader = (text: string) => ReadLabel

/** Where and how labels are looked for. */
export interface LabelForm extends Form {
  /** Whether only answer lines count. */
  readonly answerLinesOnly: boolean
  /** Finds the start of an answer line. Default: `Answer:`, `Verdict:` and the like. */
  readonly announced?: RegExp
}

interface Statement {
  readonly label: ReadLabel
  readonly index: number
  readonly end: number
}

const word = '[\\p{L}\\p{M}\\p{N}_]'
const answerLine = answerLinePattern(answerWords)

/**
 * A reader for these labels. Answer lines decide when there are any; else, unless they are asked for, the first line
 * that begins with a label and the lines that are one. Two different labels are ambiguous, wherever they stand; so is a
 * label that passes and is not the last word.
 */
export function labelReader(labels: LabelSet, form: LabelForm): LabelReader {
  const whole = wholeWords([...labels.keys()])
  const readValue = (value: string) => labelOfValue(strip(value), labels, whole)
  return (text) => {
    const lines = answerText(text)
    const announced = announcedIn(lines, form.announced ?? answerLine, readValue)
    const plain = plainIn(lines, labels, readValue)
    if (announced === undefined && form.answerLinesOnly) return 'none'
    const label = oneOf((announced ?? plain).map((statement) => statement.label))
    if (label === 'none' || label === 'ambiguous') return label
    const said = [...(announced ?? []), ...plain]
    if (oneOf(said.map((statement) => statement.label)) !== label) return 'ambiguous'
    if (label.status !== 'pass') return label
    const found = said.filter((statement) => statement.label === label).toSorted((a, b) => a.index - b.index)
    return isLastWord(lines, found, form) ? label : 'ambiguous'
  }
}

/** What the answer lines say; `undefined` when there are none. */
function announcedIn(
  lines: readonly Line[],
  pattern: RegExp,
  readValue: (value: string) => ReadLabel,
): readonly Statement[] | undefined {
  return answerValues(lines, pattern)?.map(({ value, ...place }) => ({ label: readValue(value), ...place }))
}

/** What the first line begins with, and the other lines that are a label. */
function plainIn(
  lines: readonly Line[],
  labels: LabelSet,
  readValue: (value: string) => ReadLabel,
): readonly Statement[] {
  return lines.map(({ text }, index) => ({
    label: index === 0 ? readValue(text) : (labels.get(text) ?? 'none'),
    index,
    end: index,
  }))
}

/** Finds the labels as whole words, the longest first: not within a word, nor one with a hyphen or an apostrophe. */
function wholeWords(folded: readonly string[]): RegExp {
  const alternatives = folded.toSorted((a, b) => b.length - a.length).map(escaped)
  const before = `(?<!${word}|${word}['’-])`
  const after = `(?!${word}|['’-]${word})`
  return new RegExp(`${before}(?:${alternatives.join('|')})${after}`, 'gu')
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const closedQuote = /^["'”’»`)\]}>*_~]*["'”’»`] ?[\p{L}\p{N}]/u

function labelOfValue(value: string, labels: LabelSet, whole: RegExp): ReadLabel {
  const found = [...value.matchAll(whole)]
  const [first] = found
  if (first === undefined || first.index !== 0) return 'none'
  if (found.some(([text]) => text !== first[0])) return 'ambiguous'
  const label = labels.get(first[0])
  const rest = value.slice(first[0].length)
  if (label === undefined || afterSeparator(rest) === undefined) return 'none'
  return label.status === 'pass' && (closedQuote.test(rest) || retractsOnItsLine(rest)) ? 'ambiguous' : label
}

function oneOf(found: readonly ReadLabel[]): ReadLabel {
  const read = new Set(found.filter((one) => one !== 'none'))
  const [first = 'none'] = read
  return read.size > 1 ? 'ambiguous' : first
}
