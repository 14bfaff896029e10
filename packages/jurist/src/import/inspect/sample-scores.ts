import { createHash } from 'node:crypto'
import type { Json } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { InspectSample } from './log-schema.js'

/** What one score of a sample says. */
export interface SampleScore {
  /** The name of the scorer; with that of the score, where it gives several: `many.a`. */
  readonly name: string
  /** The value as the log has it; `null` for NaN. */
  readonly value: Json
  /** The number that Inspect counts it as; `undefined`: none. */
  readonly number: number | undefined
  readonly answer?: string
  readonly explanation?: string
}

/** The grades of Inspect, and the words that it reads as numbers, in small letters. */
const numbers: { readonly [word: string]: number } = { c: 1, p: 0.5, i: 0, n: 0, yes: 1, true: 1, no: 0, false: 0 }

/**
 * The scores of a sample. Values count as Inspect's `value_to_float` counts them: C is 1, P is 0.5, I and N are 0, yes and true
 * are 1, no and false are 0, and a text of a number is that number.
 */
export function scoresOf({ scores, score }: InspectSample): readonly SampleScore[] {
  const all = Object.entries(scores ?? (score ? { score } : {}))
  return all.flatMap(([name, { value, answer, explanation }]) => {
    const said = {
      ...(typeof answer === 'string' ? { answer } : {}),
      ...(typeof explanation === 'string' ? { explanation } : {}),
    }
    const parts = isPlainObject(value)
      ? Object.entries(value).map(([key, part]) => [scoreName(name, key), part as Json] as const)
      : [[scoreName(name), value ?? null] as const]
    return parts.map(([full, part]) => ({ name: full, value: part, number: numberOf(part), ...said }))
  })
}

const longestName = 64

/** The name of a score, or of a part of one: as the log has it, where a judge can have that name. */
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
  return /^\s*-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined
}
