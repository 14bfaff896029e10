import { incompleteBeta, normalTail } from './distributions.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'

/** Nodes and weights of Gauss and Legendre on [0, 1], by Newton's method. */
const nodes = 64
let stakes: ReturnType<typeof gaussLegendre> | undefined

function gaussLegendre(n: number): readonly [Float64Array, Float64Array] {
  const [at, weighing] = [new Float64Array(n), new Float64Array(n)]
  for (let place = 0; place < n; place += 1) {
    let x = Math.cos((Math.PI * (place + 0.75)) / (n + 0.5))
    let slope = 0
    for (let round = 0; round < 20; round += 1) {
      let [value, before] = [x, 1]
      for (let degree = 2; degree <= n; degree += 1)
        [value, before] = [((2 * degree - 1) * x * value - (degree - 1) * before) / degree, value]
      slope = (n * (x * value - before)) / (x * x - 1)
      x -= value / slope
    }
    at[place] = (1 - x) / 2
    weighing[place] = 1 / ((1 - x * x) * slope * slope)
  }
  return [at, weighing]
}

/** The wealth of two gamblers, as logarithms: one bets that values lie above the mean that was named, the other below. */
export interface Bets {
  /** A value in [0, 1] whose mean, given all before, is `mean` if the hypothesis holds. `times`: how often it occurs. */
  take(value: number, mean: number, times?: number): void
  above(): number
  below(): number
}

/**
 * Bets against means of values in [0, 1] (Waudby-Smith and Ramdas 2024, JRSS B 86:1), mixed over stakes of every size. If the
 * hypothesis holds, either wealth ever grows x-fold with a chance of at most 1/x.
 */
export function bets(): Bets {
  stakes ??= gaussLegendre(nodes)
  const [shares, weights] = stakes
  const [up, down] = [new Float64Array(nodes), new Float64Array(nodes)]
  return {
    take(value, mean, times = 1) {
      const [gain, loss] = [ratio(value - mean, mean), ratio(mean - value, 1 - mean)]
      for (let place = 0; place < nodes; place += 1) {
        const share = shares[place] ?? 0
        up[place] = (up[place] ?? 0) + times * Math.log1p(share * gain)
        down[place] = (down[place] ?? 0) + times * Math.log1p(share * loss)
      }
    },
    above: () => weightedLogSum(up, weights),
    below: () => weightedLogSum(down, weights),
  }
}

/** A mean at an end of [0, 1] that holds is not evidence. */
function ratio(difference: number, stake: number): number {
  return difference === 0 ? 0 : difference / stake
}

function weightedLogSum(logs: Float64Array, weights: Float64Array): number {
  const most = logs.reduce((one, other) => Math.max(one, other))
  if (!Number.isFinite(most)) return most
  return most + Math.log(logs.reduce((sum, log, place) => sum + (weights[place] ?? 0) * Math.exp(log - most), 0))
}

/** An interval. */
export interface Ends {
  readonly low: number
  readonly high: number
}

/**
 * The means that no bet excludes, valid however often one looks.
 *
 * @param values in [0, 1]
 * @param planned the number of values in all, where these are the first of a finite set in random order; the mean is that of the set
 */
export function meanSequence(
  values: readonly number[],
  level: number,
  planned: number = Number.POSITIVE_INFINITY,
): Ends {
  const total = values.reduce((sum, value) => sum + value, 0)
  const centre = values.length === 0 ? 0.5 : total / values.length
  if (values.length >= planned) return { low: centre, high: centre }
  const line = -Math.log(1 - level)
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  function isExcluded(mean: number): boolean {
    const placed = bets()
    if (planned === Number.POSITIVE_INFINITY) for (const [value, times] of counts) placed.take(value, mean, times)
    else {
      let left = mean * planned
      for (const [place, value] of values.entries()) {
        const next = left / (planned - place)
        if (next < 0 || next > 1) return true
        placed.take(value, next)
        left -= value
      }
      if (left < 0 || left > planned - values.length) return true
    }
    const [above, below] = [placed.above(), placed.below()]
    const most = Math.max(above, below)
    return most + Math.log((Math.exp(above - most) + Math.exp(below - most)) / 2) >= line
  }
  function end(outside: number): number {
    let [inner, outer] = [centre, outside]
    for (let round = 0; round < 60; round += 1) {
      const middle = (inner + outer) / 2
      if (middle === inner || middle === outer) break
      if (isExcluded(middle)) outer = middle
      else inner = middle
    }
    return outer
  }
  return { low: end(0), high: end(1) }
}

/**
 * The interval of a mean of differences in [−1, 1] that stays valid when a comparison stops as soon as it likes.
 *
 * @param options.level default 0.95
 * @returns −1 to 1 without differences
 * @throws `statistic-invalid` for differences outside [−1, 1], a level outside (0, 1)
 */
export function differenceSequence(
  differences: readonly number[],
  { level = 0.95 }: { readonly level?: number } = {},
): Ends {
  checkLevel('differenceSequence', level)
  if (!differences.every((difference) => Math.abs(difference) <= 1))
    statisticInvalid('differenceSequence', 'differences lie between −1 and 1')
  const { low, high } = meanSequence(
    differences.map((difference) => (difference + 1) / 2),
    level,
  )
  return { low: 2 * low - 1, high: 2 * high - 1 }
}

/** The bets against "worse by the margin", as a logarithm, for differences in [−1, 1]. */
export function marginBets(differences: readonly number[], margin: number): number {
  const placed = bets()
  for (const difference of differences) placed.take((difference + 1) / 2, (1 - margin) / 2)
  return placed.above()
}

/** Pairs of one trial on each side, and how many points worse still counts as not worse, such as 0.05. */
export interface NotWorseInput {
  readonly better: number
  readonly worse: number
  readonly same: number
  readonly margin: number
}

/** How far pairs show that a candidate is not worse by the margin. */
export interface NotWorse {
  /** The natural logarithm of the bets against "worse by the margin". It may be looked at after each pair. */
  readonly logarithm: number
  readonly score: number
  readonly pValue: number
}

const mostExact = 500

/**
 * Whether the candidate is not worse by `margin` or more: the score test of Tango (1998, Statistics in Medicine 17:891), its p value
 * exact up to 500 pairs: the largest one over all shares of pairs that differ.
 *
 * @throws `statistic-invalid` for counts that are not whole numbers of at least 0, a margin outside (0, 1)
 */
export function notWorse({ better, worse, same, margin }: NotWorseInput): NotWorse {
  checkCounts('notWorse', { better, worse, same })
  checkLevel('notWorse', margin, 'margin')
  const placed = bets()
  const mean = (1 - margin) / 2
  for (const [value, times] of [
    [1, better],
    [0, worse],
    [0.5, same],
  ] as const)
    placed.take(value, mean, times)
  const pairs = better + worse + same
  const score = pairs === 0 ? 0 : tangoScore(better, worse, pairs, margin)
  const exactly = pairs > mostExact ? normalTail(score) : exactMargin(score, pairs, margin)
  return Object.freeze<NotWorse>({ logarithm: placed.above(), score, pValue: pairs === 0 ? 1 : exactly })
}

export function tangoScore(better: number, worse: number, pairs: number, margin: number): number {
  const [a, c] = [2 * pairs, worse * margin * (1 + margin)]
  const b = -better - worse - (2 * pairs - better + worse) * margin
  const share = (Math.sqrt(b * b - 4 * a * c) - b) / (2 * a)
  return (better - worse + pairs * margin) / Math.sqrt(pairs * (2 * share - margin * (1 + margin)))
}

const gridOfShares = 200

function exactMargin(score: number, pairs: number, margin: number): number {
  // With each number of worse pairs, the fewest better ones of as high a score: it grows with them.
  const fewest = Array.from({ length: pairs + 1 }, (_, worse) => {
    let [low, high] = [0, pairs - worse + 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (tangoScore(middle, worse, pairs, margin) >= score - 1e-9) high = middle
      else low = middle + 1
    }
    return low
  })
  let most = 0
  for (let place = 0; place < gridOfShares; place += 1) {
    const differing = margin + ((1 - margin) * (place + 0.5)) / gridOfShares
    const [down, up] = [(differing + margin) / 2, (differing - margin) / 2]
    let [chance, ways] = [0, pairs * Math.log1p(-down)]
    for (const [worse, least] of fewest.entries()) {
      const others = pairs - worse
      if (least <= others && ways > -745)
        chance += Math.exp(ways) * (least === 0 ? 1 : incompleteBeta(up / (1 - down), least, others - least + 1))
      ways += Math.log((others / (worse + 1)) * (down / (1 - down)))
    }
    most = Math.max(most, chance)
  }
  return Math.min(1, most)
}
