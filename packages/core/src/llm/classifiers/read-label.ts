import type { Unread } from '../classify.js'
import { answerLinePattern, answerValues, answerWords } from './answer-lines.js'
import type { Label, LabelSet } from './label-set.js'
import { afterSeparator, fold, linesOf, strip } from './reading.js'

/** The one label that a text says, or why there is none. */
export type ReadLabel = Label | Unread

/** Reads a text. */
export type LabelReader = (text: string) => ReadLabel

const word = '[\\p{L}\\p{M}\\p{N}_]'
const answerLine = answerLinePattern(answerWords)

/**
 * A reader for these labels. Answer lines decide when there are any; else, unless they are asked for, the first line
 * that begins with a label and the lines that are one. Two different labels are ambiguous.
 */
export function labelReader(labels: LabelSet, { answerLinesOnly }: { readonly answerLinesOnly: boolean }): LabelReader {
  const whole = wholeWords([...labels.keys()])
  const readValue = (line: string) => labelOfValue(strip(line), labels, whole)
  return (text) => {
    const lines = linesOf(fold(text)).filter((line) => strip(line) !== '')
    const values = answerValues(lines, answerLine)
    if (values !== undefined) return oneOf(values.map(readValue))
    if (answerLinesOnly) return 'none'
    const [first = '', ...others] = lines
    return oneOf([readValue(first), ...others.map((line) => labels.get(strip(line)) ?? 'none')])
  }
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

function labelOfValue(value: string, labels: LabelSet, whole: RegExp): ReadLabel {
  const found = [...value.matchAll(whole)]
  const [first] = found
  if (first === undefined || first.index !== 0) return 'none'
  if (found.some(([text]) => text !== first[0])) return 'ambiguous'
  const label = labels.get(first[0])
  return label === undefined || afterSeparator(value.slice(first[0].length)) === undefined ? 'none' : label
}

function oneOf(found: readonly ReadLabel[]): ReadLabel {
  const read = new Set(found.filter((one) => one !== 'none'))
  const [first = 'none'] = read
  return read.size > 1 ? 'ambiguous' : first
}
