import { logWays } from './distributions.js'
import { checkCounts, statisticInvalid } from './invalid.js'
import { seededRandom } from './random.js'

/** The trials of a commit, by item. */
export interface TriedCommit {
  /** Whether it can be tried at all. Default `true`. */
  readonly runs?: boolean
  /** Whether it is prepared already, so that another trial of it costs less. Default `false`. */
  readonly prepared?: boolean
  /** Trials by item; errors and abstentions are not decided. An item may be missing. */
  readonly items: Readonly<Record<string, { readonly passed: number; readonly decided: number }>>
}

/** Commits from a good one, the first, to a bad one, the last. */
export interface ChangePointInput {
  readonly commits: readonly TriedCommit[]
}

/** Suspects that no commit which can be tried tells apart: places of commits, both inclusive. */
export interface SuspectGroup {
  readonly first: number
  readonly last: number
  readonly posterior: number
}

/** A trial that is expected to tell most. */
export interface Probe {
  /** The place of the commit. */
  readonly commit: number
  readonly item: string
  /** How much of the uncertainty it is expected to remove, in nats. */
  readonly information: number
  /** The probability that it passes. */
  readonly passes: number
}

/** Which commit made items fail more often. */
export interface ChangePoint {
  /** The probability that no item fails more often than before. */
  readonly none: number
  /** The probability that a commit is the first bad one, for each commit after the first. */
  readonly suspects: readonly number[]
  readonly groups: readonly SuspectGroup[]
  /** The probability that an item fails more often from the most probable suspect on, by item. */
  readonly fell: Readonly<Record<string, number>>
  /** `null` where no commit can be tried. */
  readonly next: Probe | null
}

/**
 * Which commit made items fail more often, from trials that pass by chance: each item has an unknown pass rate before the commit and an
 * unknown lower one from it on, or one rate throughout. A grid of 20 rates takes the place of the unknown ones, so all sums are exact
 * (Barry and Hartigan 1993, A Bayesian analysis for change point problems, JASA 88:309). The next probe removes most of the expected
 * entropy (Lindley 1956, Annals of Mathematical Statistics 27:986); one of a prepared commit counts 1.25 times as much.
 *
 * Give all trials of all items: leaving out some changes the answer.
 *
 * @throws `statistic-invalid` for fewer than two commits, no item, counts that are negative or not whole, more passed than decided trials
 *
 * @example
 * import { changePoint } from '@jurist/experiment/compare'
 *
 * const rate = (passed: number, decided: number) => ({ items: { login: { passed, decided } } })
 * changePoint({ commits: [rate(9, 9), rate(8, 8), rate(0, 8), rate(0, 9)] }).groups[1] // { first: 2, last: 2, posterior: 0.999… }
 */
export function changePoint({ commits }: ChangePointInput): ChangePoint {
  const names = [...new Set(commits.flatMap(({ items }) => Object.keys(items)))]
  if (commits.length < 2) statisticInvalid('changePoint', 'a first and a last commit are needed')
  if (names.length === 0) statisticInvalid('changePoint', 'no item was tried')
  const items = names.map((name) => likelihoods(commits.map((commit) => countsOf(commit, name))))
  const { weights, falls } = posteriorOf(items, commits.length)
  const [none = 0, ...suspects] = weights
  const likeliest = suspects.indexOf(Math.max(...suspects)) + 1
  return {
    none,
    suspects,
    groups: groupsOf(commits, suspects),
    fell: Object.fromEntries(names.map((name, item) => [name, falls[item]?.[likeliest] ?? 0])),
    next: bestProbe(commits, names, items, weights, falls),
  }
}

const rates = Array.from({ length: 20 }, (_, index) => (index + 0.5) / 20)

/** How many of the items fall is not known either. */
const shares = [0.1, 0.3, 0.5, 0.7, 0.9]

const noLoss = 0.1

function countsOf({ items }: TriedCommit, name: string): { readonly passed: number; readonly decided: number } {
  const counts = items[name] ?? { passed: 0, decided: 0 }
  checkCounts('changePoint', counts)
  if (counts.passed > counts.decided)
    statisticInvalid('changePoint', `${name}: ${counts.passed} of ${counts.decided} trials cannot have passed`)
  return counts
}

/** The likelihoods of one item: logarithms of the likelihood of each suspect and of no change, and the mean rates that they expect. */
interface ItemLikelihoods {
  /** By suspect; place 0 is not a suspect. */
  readonly fallsAt: readonly number[]
  readonly stays: number
  readonly before: readonly number[]
  readonly after: readonly number[]
  readonly throughout: number
}

function likelihoods(counts: readonly { readonly passed: number; readonly decided: number }[]): ItemLikelihoods {
  const logarithmsOf = ({ passed, decided }: (typeof counts)[number]) =>
    rates.map((rate) => passed * Math.log(rate) + (decided - passed) * Math.log1p(-rate))
  const all = counts.map(logarithmsOf)
  const total = rates.map((_, place) => all.reduce((sum, logarithms) => sum + (logarithms[place] ?? 0), 0))
  const good = rates.map(() => 0)
  const [fallsAt, before, after] = [[Number.NEGATIVE_INFINITY], [0], [0]]
  for (const logarithms of all.slice(0, -1)) {
    for (const [place, logarithm] of logarithms.entries()) good[place] = (good[place] ?? 0) + logarithm
    const pairs = pairedRates(
      good,
      total.map((sum, place) => sum - (good[place] ?? 0)),
    )
    fallsAt.push(pairs.logarithm)
    before.push(pairs.before)
    after.push(pairs.after)
  }
  const largest = Math.max(...total)
  const shareOf = total.map((sum) => Math.exp(sum - largest))
  const sum = shareOf.reduce((one, other) => one + other)
  return {
    ...{ fallsAt, before, after, stays: largest + Math.log(sum / rates.length) },
    throughout: shareOf.reduce((mean, share, place) => mean + share * (rates[place] ?? 0), 0) / sum,
  }
}

/** The mean likelihood of all pairs of a rate before and a lower one after. */
function pairedRates(good: readonly number[], bad: readonly number[]) {
  const [mostGood, mostBad] = [Math.max(...good), Math.max(...bad)]
  let [sum, sumBefore, sumAfter, pairs] = [0, 0, 0, 0]
  let [lower, lowerRates] = [0, 0]
  for (const [place, rate] of rates.entries()) {
    const weight = Math.exp((good[place] ?? 0) - mostGood)
    sum += weight * lower
    sumBefore += weight * rate * lower
    sumAfter += weight * lowerRates
    pairs += place
    const least = Math.exp((bad[place] ?? 0) - mostBad)
    lower += least
    lowerRates += least * rate
  }
  // Where the worst rate was the best before, every pair is next to impossible: its rates do not matter.
  return sum === 0
    ? { logarithm: Number.NEGATIVE_INFINITY, before: 0.5, after: 0.5 }
    : { logarithm: mostGood + mostBad + Math.log(sum / pairs), before: sumBefore / sum, after: sumAfter / sum }
}

/** The probability of no change and of each suspect, and that an item falls there, by item. */
function posteriorOf(items: readonly ItemLikelihoods[], commits: number) {
  const places = Array.from({ length: commits }, (_, place) => place)
  const [only] = items
  if (items.length === 1 && only !== undefined)
    return {
      weights: normalized(places.map((place) => (place === 0 ? only.stays : (only.fallsAt[place] ?? 0)))),
      falls: [places.map((place) => (place === 0 ? 0 : 1))],
    }
  const falls = items.map(() => [0])
  const logarithms = places.map((place) => {
    if (place === 0) return items.reduce((sum, { stays }) => sum + stays, 0)
    const mixed = shares.map((share) => {
      const parts = items.map(({ fallsAt, stays }) => {
        const fall = (fallsAt[place] ?? 0) + Math.log(share)
        const logarithm = logSum([fall, stays + Math.log(1 - share)])
        return { logarithm, falls: Math.exp(fall - logarithm) }
      })
      return { parts, logarithm: parts.reduce((sum, { logarithm }) => sum + logarithm, 0) }
    })
    const all = logSum(mixed.map(({ logarithm }) => logarithm))
    for (const [item, list] of falls.entries())
      list.push(
        mixed.reduce((sum, { parts, logarithm }) => sum + Math.exp(logarithm - all) * (parts[item]?.falls ?? 0), 0),
      )
    return all - Math.log(shares.length)
  })
  return { weights: normalized(logarithms), falls }
}

function normalized(logarithms: readonly number[]): readonly number[] {
  const prior = Math.log((1 - noLoss) / (logarithms.length - 1))
  const weighted = logarithms.map((logarithm, place) => logarithm + (place === 0 ? Math.log(noLoss) : prior))
  const all = logSum(weighted)
  return weighted.map((logarithm) => Math.exp(logarithm - all))
}

function logSum(logarithms: readonly number[]): number {
  const largest = Math.max(...logarithms)
  return largest + Math.log(logarithms.reduce((sum, logarithm) => sum + Math.exp(logarithm - largest), 0))
}

function groupsOf(commits: readonly TriedCommit[], suspects: readonly number[]): readonly SuspectGroup[] {
  const groups: SuspectGroup[] = []
  for (const [index, posterior] of suspects.entries()) {
    const before = groups.at(-1)
    // The commit at a suspect's own place tells it from the next suspect.
    if (before === undefined || commits[index]?.runs !== false)
      groups.push({ first: index + 1, last: index + 1, posterior })
    else groups[groups.length - 1] = { ...before, last: index + 1, posterior: before.posterior + posterior }
  }
  return groups
}

function bestProbe(
  commits: readonly TriedCommit[],
  names: readonly string[],
  items: readonly ItemLikelihoods[],
  weights: readonly number[],
  falls: readonly (readonly number[])[],
): Probe | null {
  let [best, bestWorth]: [Probe | null, number] = [null, Number.NEGATIVE_INFINITY]
  const byItem = items.map((likelihood, item) => expectations(likelihood, weights, falls[item] ?? []))
  for (const [commit, { runs = true, prepared = false }] of commits.entries()) {
    if (!runs) continue
    for (const [item, expected] of byItem.entries()) {
      const { passes, information } = expected(commit)
      const worth = information * (prepared ? 1.25 : 1)
      if (worth > bestWorth * (1 + 1e-12) + 1e-300)
        [best, bestWorth] = [{ commit, item: names[item] ?? '', information, passes }, worth]
    }
  }
  return best
}

/** The information that a trial of an item is expected to give at each commit, by sums over the suspects up to it and after it. */
function expectations(
  { before, after, throughout }: ItemLikelihoods,
  weights: readonly number[],
  falls: readonly number[],
): (commit: number) => { readonly passes: number; readonly information: number } {
  const rateAt = (means: readonly number[], suspect: number) => {
    const fall = falls[suspect] ?? 0
    return fall * (means[suspect] ?? 0) + (1 - fall) * throughout
  }
  const add = (sum: { passes: number; entropy: number }, rate: number, weight: number) => ({
    passes: sum.passes + weight * rate,
    entropy: sum.entropy + weight * entropy(rate),
  })
  // At the first commit every suspect is still ahead; at each further one, one more of them is not.
  let known = weights.reduce(
    (sum, weight, suspect) => add(sum, suspect === 0 ? throughout : rateAt(before, suspect), weight),
    { passes: 0, entropy: 0 },
  )
  const all = weights.map((weight, suspect) => {
    if (suspect > 0) known = add(add(known, rateAt(before, suspect), -weight), rateAt(after, suspect), weight)
    return { passes: known.passes, information: Math.max(0, entropy(known.passes) - known.entropy) }
  })
  return (commit) => all[commit] ?? { passes: 0, information: 0 }
}

/** The entropy of an event with this probability, in nats. */
function entropy(probability: number): number {
  const part = (share: number) => (share <= 0 ? 0 : -share * Math.log(share))
  return part(probability) + part(1 - probability)
}

/** How a search continues, and where it ends. */
export interface SearchOptions {
  /** The posterior at which a group of suspects, or no loss, is found. Default 0.95. */
  readonly posterior?: number
  /** The most trials of a search. Default 500. */
  readonly maxTrials?: number
  /** Default 200. */
  readonly simulations?: number
  /** Default 1. */
  readonly seed?: number
}

/**
 * How many further trials a search takes, from simulated ones that begin with what is known.
 *
 * @throws `statistic-invalid` as `changePoint`
 *
 * @example
 * import { searchLength } from '@jurist/experiment/compare'
 *
 * const rate = (passed: number, decided: number) => ({ items: { login: { passed, decided } } })
 * const { median, nineInTen } = searchLength({ commits: [rate(5, 5), rate(0, 0), rate(0, 5)] })
 */
export function searchLength(
  { commits }: ChangePointInput,
  { posterior = 0.95, maxTrials = 500, simulations = 200, seed = 1 }: SearchOptions = {},
): { readonly median: number; readonly nineInTen: number } {
  const { uniform } = seededRandom(seed)
  const start = changePoint({ commits })
  const names = [...new Set(commits.flatMap(({ items }) => Object.keys(items)))]
  const lengths = Array.from({ length: simulations }, () => {
    const broken = pick([start.none, ...start.suspects], uniform)
    const truth = new Map(
      names.map((name) => [name, drawnRates(commits, name, broken, start.fell[name] ?? 0, uniform)]),
    )
    const known = commits.map((commit) => ({ ...commit, items: { ...commit.items } }))
    for (let trials = 0; trials < maxTrials; trials += 1) {
      const { none, groups, next } = changePoint({ commits: known })
      const commit = next === null ? undefined : known[next.commit]
      if (
        next === null ||
        commit === undefined ||
        Math.max(none, ...groups.map((group) => group.posterior)) >= posterior
      )
        return trials
      const { before, after } = truth.get(next.item) ?? { before: 0, after: 0 }
      const passes = uniform() < (next.commit < broken || broken === 0 ? before : after)
      commit.items[next.item] = withTrial(commit.items[next.item], passes)
    }
    return maxTrials
  }).sort((one, other) => one - other)
  const at = (share: number) => lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))] ?? 0
  return { median: at(0.5), nineInTen: at(0.9) }
}

/** Counts with one decided trial more. */
export function withTrial(
  counts: TriedCommit['items'][string] | undefined,
  passed: boolean,
): TriedCommit['items'][string] {
  return { passed: (counts?.passed ?? 0) + Number(passed), decided: (counts?.decided ?? 0) + 1 }
}

/** Rates of an item as its trials leave them open, if a certain commit is the first bad one. */
function drawnRates(
  commits: readonly TriedCommit[],
  name: string,
  broken: number,
  falls: number,
  uniform: () => number,
) {
  const counts = commits.map((commit) => countsOf(commit, name))
  const drawn = (from: number, to: number, below: number) => {
    const [passed, decided] = counts
      .slice(from, to)
      .reduce(([sum, all], one) => [sum + one.passed, all + one.decided], [0, 0] as [number, number])
    const logarithms = rates.map((rate) => passed * Math.log(rate) + (decided - passed) * Math.log1p(-rate))
    const largest = Math.max(...logarithms)
    return (
      rates[
        pick(
          logarithms.map((one, place) => (place < below ? Math.exp(one - largest) : 0)),
          uniform,
        )
      ] ?? 0
    )
  }
  if (broken === 0 || uniform() >= falls) {
    const rate = drawn(0, counts.length, rates.length)
    return { before: rate, after: rate }
  }
  const before = drawn(0, broken, rates.length)
  return { before, after: drawn(broken, counts.length, Math.max(1, rates.indexOf(before))) }
}

function pick(weights: readonly number[], uniform: () => number): number {
  let left = uniform() * weights.reduce((sum, weight) => sum + weight, 0)
  for (const [place, weight] of weights.entries()) {
    left -= weight
    if (left < 0) return place
  }
  return 0
}

/**
 * The probability of so few passes in the second sample, or fewer, when both pass equally often: Fisher's exact test, one-sided (Fisher 1935,
 * The Design of Experiments).
 *
 * @throws `statistic-invalid` for counts that are negative or not whole, or more passed than decided
 */
export function lossTest(
  before: { readonly passed: number; readonly decided: number },
  after: { readonly passed: number; readonly decided: number },
): number {
  for (const counts of [before, after]) countsOf({ items: { sample: counts } }, 'sample')
  const [all, passed] = [before.decided + after.decided, before.passed + after.passed]
  const total = logWays(all, passed)
  let sum = 0
  for (let fewer = 0; fewer <= after.passed; fewer += 1)
    sum += Math.exp(logWays(after.decided, fewer) + logWays(before.decided, passed - fewer) - total)
  return Math.min(1, sum)
}
