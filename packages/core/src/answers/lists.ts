import type { Json } from '../json.js'
import type { AgentOutput } from '../output.js'
import { plainText } from './expected-answer.js'
import { readJson } from './json-text.js'

/** How two lists compare in which each entry counts as often as it is there. */
export interface ListOverlap {
  readonly matched: number
  readonly missing: readonly string[]
  readonly extra: readonly string[]
  /** The harmonic mean of the shares of the expected and of the given entries that match; 1 for two empty lists. */
  readonly f1: number
}

const bullet = /^\s*(?:[-*•–]|\d{1,4}[.)])\s+/u

/** The entries of an answer: of an array, else the lines, else what commas or semicolons separate. Blank ones are left out. */
export function listIn(output: AgentOutput): readonly string[] {
  const read = readJson(output, true)
  if ('value' in read && Array.isArray(read.value)) return read.value.map(entryText).filter(isGiven)
  const lines = plainText(output).split(/\r?\n/u).filter(isGiven)
  if (lines.length > 1) return lines.map((line) => line.replace(bullet, '').trim()).filter(isGiven)
  return (lines[0] ?? '')
    .replace(bullet, '')
    .split(/[,;]/u)
    .map((entry) => entry.trim())
    .filter(isGiven)
}

function entryText(entry: Json): string {
  return typeof entry === 'string' ? entry : JSON.stringify(entry)
}

function isGiven(text: string): boolean {
  return text.trim() !== ''
}

/** What two lists have in common, in any order. */
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
