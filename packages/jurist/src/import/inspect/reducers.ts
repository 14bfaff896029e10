import type { Json } from '@jurist/core'
import { meanOf } from '@jurist/experiment/internal/results'

/** The scores of a sample, in the order of its epochs. */
export interface EpochScores {
  /** How many epochs have a judgment, with a number or without. */
  readonly total: number
  readonly scored: readonly { readonly value: Json; readonly number: number }[]
}

/**
 * What a reducer of Inspect makes of the epochs of a sample. A number: its result, which is NaN for a sample that no figure counts.
 * `undefined`: a reducer that is not known here.
 */
export function reduced(reducer: string, { total, scored }: EpochScores): number | undefined {
  const numbers = scored.map(({ number }) => number)
  const correct = numbers.filter((number) => number >= 1).length
  const [, name, count] = /^(at_least|pass_at|pass_k)_(\d+)$/.exec(reducer) ?? [undefined, reducer, '0']
  const k = Number(count)
  switch (name) {
    case 'mean':
      return meanOf(numbers)
    case 'median':
      return medianOf(numbers)
    case 'max':
      return numbers.reduce((most, number) => Math.max(most, number))
    case 'mode':
      return mostCommon(scored).number
    case 'majority':
      return mostCommon(scored).count * 2 > total ? mostCommon(scored).number : Number.NaN
    case 'at_least':
      return Number(correct >= k)
    case 'pass_at':
      return numbers.length < k ? Number.NaN : 1 - ratioOfChoices(numbers.length - correct, numbers.length, k)
    case 'pass_k':
      return numbers.length < k ? Number.NaN : ratioOfChoices(correct, numbers.length, k)
    default:
      return undefined
  }
}

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return meanOf(sorted.slice(sorted.length % 2 === 0 ? middle - 1 : middle, middle + 1))
}

/** The value that most epochs have, the earlier one of two. Values are compared, not their numbers: I and N are two. */
function mostCommon(scored: EpochScores['scored']): { readonly number: number; readonly count: number } {
  const counts = new Map<string, { readonly number: number; count: number }>()
  for (const { value, number } of scored) {
    const key = JSON.stringify(typeof value === 'boolean' ? Number(value) : value)
    const known = counts.get(key) ?? { number, count: 0 }
    known.count += 1
    counts.set(key, known)
  }
  return [...counts.values()].reduce((most, one) => (one.count > most.count ? one : most))
}

/** Of all choices of `k` of `all`, the part that takes only from `some`. */
function ratioOfChoices(some: number, all: number, k: number): number {
  let ratio = 1
  for (let taken = 0; taken < k; taken++) ratio *= Math.max(0, some - taken) / (all - taken)
  return ratio
}
