import { createHash } from 'node:crypto'
import {
  abstain,
  fail,
  type Json,
  type Judge,
  type Judgment,
  type Jury,
  jury,
  numerical,
  pass,
  type Vote,
} from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { present } from '../traces/checked.js'
import type { InspectSample } from './log-schema.js'

/** The key for the facts of a sample in the metadata of its trial. */
export const inspectFacts = 'inspect'

/** The key of a trial's scores: the id and the epoch in its metadata. */
function trialKey(metadata: { readonly [key: string]: unknown }): string {
  const { id, epoch } = (metadata[inspectFacts] ?? {}) as { readonly id?: unknown; readonly epoch?: unknown }
  return keyOf(id, epoch)
}

/** Builds the key from an id and an epoch. The number 1 and the string "1" are different ids. */
export function keyOf(id: unknown, epoch: unknown): string {
  return JSON.stringify([id, epoch])
}

export interface SampleScore {
  /** The name of the scorer, followed by that of the score if it gives several: `many.a`. */
  readonly name: string
  /** The value in the log; `null` for NaN, a string for an infinity. */
  readonly value: Json
  /** The number that Inspect counts it as, which may be infinite; `undefined` if none exists. */
  readonly number: number | undefined
  readonly answer?: string
  readonly explanation?: string
}

/** The grades of Inspect, and the words that it reads as numbers, in small letters. */
const numbers: { readonly [word: string]: number } = { c: 1, p: 0.5, i: 0, n: 0, yes: 1, true: 1, no: 0, false: 0 }

/**
 * Reads the scores of a sample. Values become numbers as in Inspect's `value_to_float`: C is 1, P is 0.5, I and N are
 * 0, yes and true are 1, no and false are 0, and a numeric string is its number.
 */
export function scoresOf({ scores, score }: InspectSample): readonly SampleScore[] {
  const all = Object.entries(scores ?? (score ? { score } : {}))
  return all.flatMap(([name, { value, answer, explanation }]) => {
    const said = present({ answer, explanation })
    const parts = isPlainObject(value)
      ? Object.entries(value).map(([key, part]) => [scoreName(name, key), part as Json] as const)
      : [[scoreName(name), value ?? null] as const]
    return parts.map(([full, part]) => ({ name: full, value: part, number: numberOf(part), ...said }))
  })
}

const longestName = 64

/** Names a score or a part of one as in the log, as far as the name is valid for a judge. */
export function scoreName(name: string, key?: string): string {
  const full = key === undefined ? name : `${name}.${key}`
  const safe = full.replace(/\p{Cc}/gu, '-').trim()
  const named = safe === '' || /^\d+$/.test(safe) ? `score ${safe}`.trim() : safe
  if (named.length <= longestName) return named
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8)
  return `${named.slice(0, longestName - 9).replace(/[\uD800-\uDBFF]$/, '')}-${hash}`
}

function numberOf(value: Json): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return undefined
  const word = value.toLowerCase()
  // Grades are capital letters.
  if (Object.hasOwn(numbers, word) && (word.length > 1 || value !== word)) return numbers[word]
  if (/^-?Infinity$/.test(value)) return Number(value)
  return /^\s*-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined
}

/** The scores of trials, by `trialKey`. */
export type StoredScores = ReadonlyMap<string, readonly SampleScore[]>

/** The settings for judging by recorded scores. */
interface ScoreReading {
  readonly scores: StoredScores
  /** The score that decides a trial. */
  readonly headline: string
  /** The lowest number that passes. */
  readonly threshold: number
}

/**
 * Returns a jury with a judge for each score, which repeats the recorded value. The headline alone decides: scorers
 * measure different things, and Inspect does not combine them.
 */
export function recordedJury(reading: ScoreReading): Jury {
  const all = [...reading.scores.values()].flat()
  const names = [...new Set([reading.headline, ...all.map(({ name }) => name)])]
  const judges = Object.fromEntries(names.map((name) => [name, recordedJudge(name, rangeOf(name, all), reading)]))
  const { headline } = reading
  const headlineDecides: Vote = function headlineDecides(ballots) {
    return ballots.find(({ name }) => name === headline)?.judgment ?? abstain(`There is no score ${headline}.`)
  }
  return jury({ judges, vote: headlineDecides })
}

interface Range {
  readonly min: number
  readonly max: number
}

/** From 0 to 1, extended to the smallest and the largest number. */
function rangeOf(name: string, all: readonly SampleScore[]): Range {
  let [min, max] = [0, 1]
  for (const one of all) {
    if (one.name !== name || one.number === undefined || !Number.isFinite(one.number)) continue
    min = Math.min(min, one.number)
    max = Math.max(max, one.number)
  }
  return { min, max }
}

function recordedJudge(name: string, range: Range, { scores, threshold }: ScoreReading): Judge {
  return function recordedScore({ metadata }): Judgment {
    const score = scores.get(trialKey(metadata))?.find((one) => one.name === name)
    if (score === undefined) return abstain(`The log has no score ${JSON.stringify(name)} of this sample.`)
    const { number, value, answer, explanation } = score
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    const extras = { metadata: { value, ...(answer === undefined ? {} : { answer }) } }
    const because = explanation === undefined || explanation.trim() === '' ? '' : `: ${explanation}`
    if (number === undefined) return abstain(`The value ${shown} has no number${because}`, extras)
    const judged = number >= threshold ? pass : fail
    // A score is finite: infinities become the ends of the range.
    const within = Math.min(range.max, Math.max(range.min, number))
    return judged(`${shown}${because}`, { score: numerical(within, range), ...extras })
  }
}
