import type { Json } from '@jurist/core'
import { meanOf, standardError } from '@jurist/experiment/internal/results'
import type { InspectHeader, InspectResult } from './log-schema.js'
import type { ReadSample } from './read-samples.js'
import { scoreName } from './scores.js'

/** The scores of a sample, in the order of its epochs. */
interface EpochScores {
  /** The number of judged epochs, whether their score is a number or not. */
  readonly total: number
  readonly scored: readonly { readonly value: Json; readonly number: number }[]
}

/**
 * Reduces the epochs of a sample as Inspect does. The result is NaN for a sample that no metric counts, and `undefined`
 * for an unknown reducer.
 */
function reduced(reducer: string, { total, scored }: EpochScores): number | undefined {
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

/**
 * Returns the most frequent value, and the earliest of equally frequent ones. Values are compared instead of their
 * numbers: I and N differ.
 */
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

/** The share of the choices of `k` out of `all` that contain only elements of `some`. */
function ratioOfChoices(some: number, all: number, k: number): number {
  let ratio = 1
  for (let taken = 0; taken < k; taken++) ratio *= Math.max(0, some - taken) / (all - taken)
  return ratio
}

/** A metric of a log, and the same metric computed from its samples. */
export interface ComparedMetric {
  /** A score name, such as `match` or `many.a`. */
  readonly score: string
  /** The reducer of the epochs of a sample, such as `pass_at_2`; absent if the log does not name it. */
  readonly reducer?: string
  /** For example `accuracy`. */
  readonly metric: string
  /** The value in the log; `null` for NaN. */
  readonly logged: number | null
  /** The value computed from the samples; absent for a metric that Jurist does not compute. */
  readonly computed?: number
}

/** Whether the two values are equal up to rounding. */
export function isSame({ logged, computed }: ComparedMetric): boolean {
  if (logged === computed || (logged === null && Number.isNaN(computed))) return true
  return (
    computed === undefined || (logged !== null && Math.abs(logged - computed) <= 1e-9 * Math.max(1, Math.abs(logged)))
  )
}

/**
 * Compares the metrics of each score with those in the log. The epochs of a sample are first reduced to one value with
 * the reducer of the log; samples without a number do not count. Computes `accuracy`, `mean`, `stderr` (also
 * clustered), `std` and `var` by Inspect's formulas, but not with other parameters.
 */
export function comparedMetrics(
  { results, eval: { config } }: InspectHeader,
  samples: readonly ReadSample[],
): readonly ComparedMetric[] {
  const reducers = config?.epochs_reducer ?? ['mean']
  return (results?.scores ?? []).flatMap((result) => {
    const name = nameOf(result, samples)
    const reducer = result.reducer ?? (reducers.length === 1 ? reducers[0] : undefined)
    const values = reducer === undefined ? undefined : valuesOf(samples, name, reducer)
    return Object.entries(result.metrics ?? {}).map(([metric, { value, params, options }]): ComparedMetric => {
      const computed = values === undefined ? undefined : figureOf(metric, values, params ?? options ?? {})
      return {
        score: name,
        reducer: result.reducer ?? undefined,
        metric,
        logged: typeof value === 'number' ? value : /^-?Infinity$/.test(String(value)) ? Number(value) : null,
        computed,
      }
    })
  })
}

/** Results may name the part of a score by its own name only. */
function nameOf({ name, scorer }: InspectResult, samples: readonly ReadSample[]): string {
  const full = scoreName(scorer ?? name, name)
  return samples.some(({ scores }) => scores.some((one) => one.name === full)) ? full : scoreName(name)
}

/** A sample with the value that its epochs were reduced to. */
interface ReducedSample {
  readonly value: number
  readonly metadata: { readonly [key: string]: unknown }
}

/** Returns the samples that metrics count; `undefined` for an unknown reducer. */
function valuesOf(samples: readonly ReadSample[], name: string, reducer: string): readonly ReducedSample[] | undefined {
  const values: ReducedSample[] = []
  for (const { metadata, ...epochs } of epochsOf(samples, name)) {
    if (epochs.scored.length === 0) continue
    const value = reduced(reducer, epochs)
    if (value === undefined) return undefined
    if (!Number.isNaN(value)) values.push({ value, metadata })
  }
  return values
}

/** Returns the scores of each sample, by its id. */
function epochsOf(samples: readonly ReadSample[], name: string) {
  const epochs = new Map<string, EpochScores & Pick<ReducedSample, 'metadata'>>()
  const inOrder = [...samples].sort((one, other) => one.sample.epoch - other.sample.epoch)
  for (const { sample, scores } of inOrder) {
    const found = scores.find((one) => one.name === name)
    if (found === undefined) continue
    const { value, number } = found
    const id = JSON.stringify(sample.id)
    const { total, scored } = epochs.get(id) ?? { total: 0, scored: [] }
    const more = number === undefined ? [] : [{ value, number }]
    epochs.set(id, { total: total + 1, scored: [...scored, ...more], metadata: sample.metadata ?? {} })
  }
  return epochs.values()
}

function figureOf(
  metric: string,
  samples: readonly ReducedSample[],
  { cluster, ...others }: { readonly [name: string]: unknown },
): number | undefined {
  if (samples.length === 0 || Object.keys(others).length > 0) return undefined
  const values = samples.map(({ value }) => value)
  if (metric === 'stderr' && typeof cluster === 'string') return clusteredError(samples, cluster)
  if (cluster !== undefined && cluster !== null) return undefined
  if (metric === 'accuracy' || metric === 'mean') return meanOf(values)
  const error = standardError(values) ?? 0
  if (metric === 'stderr') return error
  if (metric === 'var') return error ** 2 * values.length
  return metric === 'std' ? error * Math.sqrt(values.length) : undefined
}

/** The standard error of a mean over samples that are grouped by a key of their metadata, corrected for few groups. */
function clusteredError(samples: readonly ReducedSample[], cluster: string): number | undefined {
  const mean = meanOf(samples.map(({ value }) => value))
  const deviations = new Map<unknown, number>()
  for (const { value, metadata } of samples) {
    const group = metadata[cluster]
    if (group === undefined || group === null) return undefined
    deviations.set(group, (deviations.get(group) ?? 0) + value - mean)
  }
  const count = deviations.size
  if (count < 2) return 0
  const squares = [...deviations.values()].reduce((sum, deviation) => sum + deviation ** 2, 0)
  return Math.sqrt((squares * count) / (count - 1)) / samples.length
}
