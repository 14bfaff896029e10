import type { AgentOutput } from '../output.js'
import { plainText } from './expected-answer.js'
import { readJson } from './json-text.js'

/** Repeated entries count each time. */
interface ListOverlap {
  readonly matched: number
  readonly missing: readonly string[]
  readonly extra: readonly string[]
  /** The harmonic mean of two shares: of the expected and of the given entries that match. 1 for two empty lists. */
  readonly f1: number
}

const bullet = /^\s*(?:[-*•–]|\d{1,4}[.)])\s+/u

/**
 * The elements of an array, or else the lines, or else the parts between commas or semicolons. Blank entries are left
 * out.
 */
export function listIn(output: AgentOutput): readonly string[] {
  const read = readJson(output, true)
  if ('value' in read && Array.isArray(read.value))
    return read.value.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry))).filter(isGiven)
  const lines = plainText(output).split(/\r?\n/u).filter(isGiven)
  if (lines.length > 1) return lines.map((line) => line.replace(bullet, '').trim()).filter(isGiven)
  return (lines[0] ?? '')
    .replace(bullet, '')
    .split(/[,;]/u)
    .map((entry) => entry.trim())
    .filter(isGiven)
}

function isGiven(text: string): boolean {
  return text.trim() !== ''
}

/** The order does not matter. */
export function overlapOf(found: readonly string[], expected: readonly string[]): ListOverlap {
  const left = new Map<string, number>()
  for (const entry of expected) left.set(entry, (left.get(entry) ?? 0) + 1)
  const extra: string[] = []
  for (const entry of found) {
    const count = left.get(entry) ?? 0
    if (count > 0) left.set(entry, count - 1)
    else extra.push(entry)
  }
  const missing = [...left].flatMap(([entry, count]) => Array.from({ length: count }, () => entry))
  const matched = expected.length - missing.length
  const both = expected.length + found.length
  return { matched, missing, extra, f1: both === 0 ? 1 : (2 * matched) / both }
}

/** Returns a number from 0 to 1. */
export type Similarity = (one: string, other: string) => number

/**
 * 1 minus the edit distance (V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions and
 * reversals", 1966) over the length of the longer text, by code points; 1 for two empty texts.
 */
export const levenshteinSimilarity: Similarity = (one, other) => {
  const [found, expected] = [codePoints(one), codePoints(other)]
  const longest = Math.max(found.length, expected.length)
  return longest === 0 ? 1 : 1 - editDistance(found, expected) / longest
}

function codePoints(text: string): Int32Array {
  return Int32Array.from([...text], (character) => character.codePointAt(0) ?? 0)
}

/** Keeps one row of the table at a time. */
function editDistance(one: Int32Array, other: Int32Array): number {
  const row = Int32Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, code] of one.entries()) {
    let diagonal = at
    let left = at + 1
    row[0] = left
    for (let index = 1; index <= other.length; index++) {
      const above = row[index] as number
      const changed = other[index - 1] === code ? diagonal : diagonal + 1
      left = Math.min(changed, Math.min(above, left) + 1)
      row[index] = left
      diagonal = above
    }
  }
  return row[other.length] as number
}

/**
 * ROUGE-L (C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004): the F1 of the longest common subsequence
 * of words, in lower case, without stemming. Words are runs of letters and digits of any script; for ASCII as in the
 * package `rouge-score`. 0 without words.
 */
export const rougeL: Similarity = (one, other) => {
  const numbers = new Map<string, number>()
  const numbered = (text: string) => Int32Array.from(words(text), (word) => numberOf(word, numbers))
  const [found, expected] = [numbered(one), numbered(other)]
  if (found.length === 0 || expected.length === 0) return 0
  return (2 * commonSubsequence(found, expected)) / (found.length + expected.length)
}

/** Numbers each word, because numbers are compared faster. */
function numberOf(word: string, numbers: Map<string, number>): number {
  const known = numbers.get(word)
  if (known !== undefined) return known
  numbers.set(word, numbers.size)
  return numbers.size - 1
}

/** Splits words as ROUGE-L does. */
export function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

function commonSubsequence(one: Int32Array, other: Int32Array): number {
  const row = new Int32Array(other.length + 1)
  for (const word of one) {
    let [diagonal, left] = [0, 0]
    for (let index = 1; index <= other.length; index++) {
      const above = row[index] as number
      left = word === other[index - 1] ? diagonal + 1 : Math.max(above, left)
      row[index] = left
      diagonal = above
    }
  }
  return row[other.length] as number
}

/**
 * Splits words as the evaluation of SQuAD does: in lower case, without punctuation (of any script) and English
 * articles.
 */
const squad = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replace(/[\p{P}$+<=>^`|~]/gu, '')
    .replace(/(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu, ' ')
    .split(/\s+/u)
    .filter((word) => word !== '')

/**
 * The F1 of the words that two texts share, repeated words included, as in the evaluation of SQuAD (P. Rajpurkar et
 * al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP 2016): case, punctuation, articles and
 * order do not count. Where one of the texts has no words, 1 if neither has, otherwise 0.
 */
export const tokenF1: Similarity = (one, other) => overlapOf(squad(one), squad(other)).f1
