import { flatten, type Verdict } from '@jurist/core'
import { shuffled } from '../result/statistics/random.js'

/** A trial that may be labelled. */
export interface LabelledTrial {
  readonly itemId: string
  readonly repetition: number
}

/** Which trials are labelled. */
export interface SampleOptions {
  /** How many. Default: all. */
  readonly sample?: number
  /** Default 1. */
  readonly seed?: number
}

/**
 * Trials in an order that the seed decides: a uniform sample, so that any first part of it represents the whole run.
 *
 * @example
 * import { uniformSample } from '@jurist/experiment/label'
 *
 * const trials = [{ itemId: 'a', repetition: 1 }, { itemId: 'b', repetition: 1 }]
 * console.log(uniformSample(trials, { sample: 1, seed: 7 }).length) // 1
 */
export function uniformSample<Trial extends LabelledTrial>(
  trials: readonly Trial[],
  { sample = trials.length, seed = 1 }: SampleOptions = {},
): readonly Trial[] {
  return shuffled(trials, seed).slice(0, sample)
}

const strata = 4

/**
 * Draws equally many trials of each quarter of the confidences, the least sure first, mixed: unsure trials show more errors of a judge. Labels of
 * such a sample do not stand for the run, and no certificate may rest on them.
 *
 * @param confidenceOf from 0 to 1
 *
 * @example
 * import { confidenceOfVerdict, stratifiedSample } from '@jurist/experiment/label'
 * import { fileStore } from '@jurist/experiment/store'
 *
 * await using store = fileStore('results')
 * const run = await store.mostRecent('answers')
 * if (run !== undefined) stratifiedSample(run.items, ({ verdict }) => confidenceOfVerdict(verdict), { sample: 60 })
 */
export function stratifiedSample<Trial extends LabelledTrial>(
  trials: readonly Trial[],
  confidenceOf: (trial: Trial) => number,
  { sample = trials.length, seed = 1 }: SampleOptions = {},
): readonly Trial[] {
  const sorted = uniformSample(trials, { seed }).toSorted((one, other) => confidenceOf(one) - confidenceOf(other))
  const size = Math.ceil(sorted.length / strata)
  const groups = Array.from({ length: strata }, (_, stratum) =>
    uniformSample(sorted.slice(stratum * size, (stratum + 1) * size), { seed: seed + stratum }),
  )
  const mixed = Array.from({ length: size }, (_, place) => groups.flatMap((group) => group[place] ?? [])).flat()
  return mixed.slice(0, sample)
}

/**
 * How sure a stored verdict is: what its judgment declares, else the share of the members that agree with it; 0 without a verdict.
 *
 * @example
 * import { confidenceOfVerdict } from '@jurist/experiment/label'
 *
 * confidenceOfVerdict(null) // 0
 */
export function confidenceOfVerdict(verdict: Verdict | null): number {
  if (verdict === null) return 0
  const { aggregated } = verdict
  const { confidence } = aggregated.metadata
  if (typeof confidence === 'number') return confidence
  const leaves = flatten(verdict).filter(({ judgment }) => judgment !== aggregated)
  const agreeing = leaves.filter(({ judgment }) => judgment.status === aggregated.status)
  return leaves.length === 0 ? 0 : agreeing.length / leaves.length
}
