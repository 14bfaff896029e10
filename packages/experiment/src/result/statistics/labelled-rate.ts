import type { Ends } from './bets.js'
import { betaQuantile } from './distributions.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'

/** The trials of one verdict, and what people said about some of them. */
export interface LabelledStratum {
  readonly trials: number
  readonly labelled: number
  /** How many of the labelled ones people pass. */
  readonly passed: number
}

/** Labels and verdicts of the trials of a run. */
export interface LabelledRateInput {
  /** By verdict; one without trials does not count. */
  readonly strata: readonly LabelledStratum[]
  /** Trials that certainly fail, without a label: their agent did not complete. Default 0. */
  readonly failed?: number
  /** Default 0.95. */
  readonly level?: number
  /** How many labels count as much as an independent one. Default 1. */
  readonly designLabels?: number
  /** How many trials count as much as an independent one. Default 1. */
  readonly designRun?: number
}

/** A true pass rate by labels and verdicts. */
export interface LabelledRate {
  readonly estimate: number
  /** The rate of all labels. */
  readonly pool: number
  /** The estimate of each stratum that has trials. */
  readonly means: readonly number[]
  readonly variance: number
  /** The interval for tasks like these. */
  readonly tasks: Ends
  /** The interval for these trials. */
  readonly run: Ends
}

/**
 * The true pass rate of a run from the labels of some of its trials and the verdicts of all: the labels within each verdict, weighted by
 * how often that verdict occurs, with one pseudo-label in each. Use it where the labels of a verdict are a uniform sample of it.
 *
 * @throws `statistic-invalid` for counts that are negative, not whole or larger than the whole, for no trial, a level outside (0, 1), a
 * design effect below 1
 *
 * @example
 * import { estimateRate } from '@jurist/experiment/label'
 *
 * const passes = { trials: 798, labelled: 48, passed: 45 }
 * const fails = { trials: 202, labelled: 12, passed: 2 }
 * estimateRate({ strata: [passes, fails] }).tasks // { low: 0.703, high: 0.851 }, rounded
 */
export function estimateRate(input: LabelledRateInput): LabelledRate {
  const { level = 0.95, designLabels = 1, designRun = 1 } = input
  checkLevel('estimateRate', level)
  for (const [name, effect] of Object.entries({ designLabels, designRun }))
    if (!(effect >= 1 && Number.isFinite(effect)))
      statisticInvalid('estimateRate', `${name} must be at least 1, not ${effect}`)
  const { parts, pool, estimate, labels, trials } = partsOf(input)
  const present = parts.filter(({ share }) => share > 0)
  const ofRun = designLabels * spread(present, labels)
  const variance = ofRun + (designRun * estimate * (1 - estimate)) / trials
  const ends = (of: number) => betaInterval(estimate, of, level)
  return {
    estimate,
    pool,
    means: present.map(({ mean }) => mean),
    variance,
    tasks: ends(variance),
    run: ends(ofRun),
  }
}

interface Part {
  readonly share: number
  readonly trials: number
  readonly labelled: number
  readonly mean: number
}

/** The strata in their order, with the estimate of each. */
function partsOf({ strata, failed = 0 }: LabelledRateInput) {
  checkCounts('estimateRate', { failed })
  for (const { trials, labelled, passed } of strata) {
    checkCounts('estimateRate', { trials, labelled, passed })
    if (passed > labelled || labelled > trials)
      statisticInvalid('estimateRate', `passed ≤ labelled ≤ trials, not ${passed}, ${labelled}, ${trials}`)
  }
  const trials = strata.reduce((sum, stratum) => sum + stratum.trials, failed)
  if (trials === 0) statisticInvalid('estimateRate', 'there is no trial')
  const seen = strata.filter(({ labelled }) => labelled > 0)
  const labels = seen.reduce((sum, { labelled }) => sum + labelled, 0)
  const passing = seen.reduce((sum, { trials, passed, labelled }) => sum + (trials * passed) / labelled, 0)
  const observed = seen.length === 0 ? 0 : passing / seen.reduce((sum, { trials }) => sum + trials, 0)
  const pool = (labels * observed + 0.5) / (labels + 1)
  const parts = strata.map((stratum): Part => {
    const share = stratum.trials / trials
    // A large stratum begins at a half, a small one at the rate of all labels.
    const half = Math.min(1, 3 * share)
    const mean = (stratum.passed + half / 2 + (1 - half) * pool) / (stratum.labelled + 1)
    return { share, mean, trials: stratum.trials, labelled: stratum.labelled }
  })
  const estimate = parts.reduce((sum, { share, mean }) => sum + share * mean, 0)
  return { parts, pool, estimate, labels, trials }
}

/** The variance of the estimate for these trials; 0 where all are labelled. */
function spread(parts: readonly Part[], labels: number): number {
  return parts.reduce((sum, { share, mean, labelled, trials }) => {
    const within = ((mean * (1 - mean)) / (labelled + 2)) * (1 + 2 / labels)
    return sum + share ** 2 * within * (1 - labelled / trials)
  }, 0)
}

/** The interval of the beta distribution with this mean and variance. */
function betaInterval(mean: number, variance: number, level: number): Ends {
  if (variance === 0) return { low: mean, high: mean }
  const size = (mean * (1 - mean)) / variance - 1
  // As uncertain as can be: anything may be true.
  if (!(size > 0)) return { low: 0, high: 1 }
  const [a, b] = [mean * size, (1 - mean) * size]
  return { low: betaQuantile((1 - level) / 2, a, b), high: betaQuantile((1 + level) / 2, a, b) }
}

/**
 * The smallest number of labels, in proportion to the verdicts, with which the interval of these trials is at most `half` to either side
 * if the labels stay as they are; never fewer than there are.
 */
export function labelsNeeded(input: LabelledRateInput, half: number): number {
  const { labels, trials } = partsOf(input)
  let [few, many] = [labels, trials]
  while (few < many) {
    const middle = (few + many) >> 1
    if (halfWidthWith(input, middle) <= half) many = middle
    else few = middle + 1
  }
  return few
}

/** Half of the width that the interval of these trials would have with this number of labels in all, in proportion to the verdicts. */
export function halfWidthWith(input: LabelledRateInput, labels: number): number {
  const { level = 0.95, designLabels = 1 } = input
  const { parts, estimate, trials } = partsOf(input)
  const present = parts.filter(({ share }) => share > 0)
  const labelled = present.map((part) => ({ ...part, labelled: (labels * part.trials) / trials }))
  const { low, high } = betaInterval(estimate, designLabels * spread(labelled, labels), level)
  return (high - low) / 2
}

/** A label, 1 or 0, and the place of the trial's verdict among the strata. */
export type StratumLabel = readonly [label: number, stratum: number]

/** An item that is labelled in both runs: the labels of its trials on each side. */
export interface LabelledPair {
  readonly baseline: readonly StratumLabel[]
  readonly candidate: readonly StratumLabel[]
}

/** A difference of true pass rates by labels and verdicts. */
export interface LabelledDifference extends Ends {
  /** Items that are labelled in both runs. */
  readonly items: number
  /** The candidate's less the baseline's. */
  readonly difference: number
  /** How far the two go together in what the verdicts leave open. */
  readonly phi: number
}

/**
 * The difference of two runs on tasks like these, over items labelled in both: the interval for pairs by square and add (Newcombe 1998,
 * Statistics in Medicine 17:2635, method 10).
 *
 * @throws `statistic-invalid` as `estimateRate`
 */
export function differenceOfRates(
  baseline: LabelledRateInput,
  candidate: LabelledRateInput,
  pairs: readonly LabelledPair[],
): LabelledDifference {
  const [one, other] = [estimateRate(baseline), estimateRate(candidate)]
  const [ofBaseline, ofCandidate] = [partsOf(baseline).parts, partsOf(candidate).parts]
  const open = (labels: readonly StratumLabel[], parts: readonly Part[]) =>
    labels.reduce((sum, [label, place]) => sum + label - (parts[place]?.mean ?? 0), 0) / labels.length
  let [both, ofOne, ofOther] = [-0.5, 0.5, 0.5]
  for (const pair of pairs) {
    const [a, b] = [open(pair.baseline, ofBaseline), open(pair.candidate, ofCandidate)]
    both += a * b
    ofOne += a * a
    ofOther += b * b
  }
  const phi = Math.max(0, both / Math.sqrt(ofOne * ofOther))
  const difference = other.estimate - one.estimate
  const distance = (a: number, b: number) => Math.sqrt(Math.max(0, a * a - 2 * phi * a * b + b * b))
  return {
    items: pairs.length,
    difference,
    phi,
    low: difference - distance(other.estimate - other.tasks.low, one.tasks.high - one.estimate),
    high: difference + distance(other.tasks.high - other.estimate, one.estimate - one.tasks.low),
  }
}

/**
 * The verdicts whose trials are labelled next, one by one: more of those in which labels help most (Neyman 1938, JASA 33:101), at least
 * half of what is in proportion.
 *
 * @param open how many trials of each stratum may be labelled. Default: all that are not
 * @returns places of strata; fewer than `count` where no trial is left
 */
export function nextStrata(
  strata: readonly LabelledStratum[],
  count: number,
  open: readonly number[] = strata.map(({ trials, labelled }) => trials - labelled),
): readonly number[] {
  const { parts } = partsOf({ strata })
  const raw = parts.map(({ share, mean }) => share * Math.sqrt(mean * (1 - mean)))
  const sum = raw.reduce((all, value) => all + value, 0)
  const raised = parts.map(({ share }, place) => Math.max((raw[place] ?? 0) / sum, share / 2))
  const all = raised.reduce((total, value) => total + value, 0)
  const labelled = strata.map((stratum) => stratum.labelled)
  const next: number[] = []
  while (next.length < count) {
    const labels = labelled.reduce((total, value) => total + value, 0)
    let [best, most] = [-1, Number.NEGATIVE_INFINITY]
    for (const [place, stratum] of strata.entries()) {
      const own = labelled[place] ?? 0
      const lacking = ((raised[place] ?? 0) / all) * (labels + 1) - own
      if (own - stratum.labelled < (open[place] ?? 0) && lacking > most + 1e-12) [best, most] = [place, lacking]
    }
    if (best < 0) break
    labelled[best] = (labelled[best] ?? 0) + 1
    next.push(best)
  }
  return next
}
