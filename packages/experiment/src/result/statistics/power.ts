import { logGamma, logWays, normalTail, studentTQuantile } from './distributions.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'
import { mcnemarExact } from './paired-tests.js'

/** Assumptions about a comparison of two agents on the same items. */
export type PowerInput =
  | {
      readonly items: number
      /** The share of items that become worse. */
      readonly worse: number
      /** The share of items that become better. */
      readonly better: number
      readonly alpha?: number
    }
  | {
      readonly items: number
      /** The mean difference of items, such as 0.1 for ten points. */
      readonly difference: number
      /** The standard deviation of the differences of items. */
      readonly standardDeviation: number
      readonly alpha?: number
    }

const mostItems = 10_000

/**
 * The probability that a comparison on `items` items finds a true difference, at the two-sided level `alpha`. With `worse` and
 * `better` that of McNemar's exact test, summed over all outcomes; with `difference` and `standardDeviation` that of the
 * paired t test, by the noncentral t distribution (Cohen 1988, Statistical Power Analysis).
 *
 * @param input.alpha default 0.05
 * @returns between 0 and 1
 * @throws `statistic-invalid` for values out of range, and for `worse` and `better` with more than 10,000 items
 *
 * @example
 * import { comparisonPower } from '@jurist/experiment/calibrate'
 *
 * comparisonPower({ items: 40, worse: 0.05, better: 0.2 }) // 0.364, rounded
 * comparisonPower({ items: 40, difference: 0.1, standardDeviation: 0.25 }) // 0.694, rounded
 */
export function comparisonPower(input: PowerInput): number {
  const { items, alpha = 0.05 } = input
  checkCounts('comparisonPower', { items })
  checkLevel('comparisonPower', alpha, 'alpha')
  if ('worse' in input) return exactPower(items, input.worse, input.better, alpha)
  const { difference, standardDeviation } = input
  if (!Number.isFinite(difference)) statisticInvalid('comparisonPower', 'difference must be a finite number')
  if (!(standardDeviation > 0 && Number.isFinite(standardDeviation)))
    statisticInvalid('comparisonPower', `standardDeviation must be above 0, not ${standardDeviation}`)
  return items < 2 ? 0 : pairedPower(items, Math.abs(difference) / standardDeviation, alpha)
}

function exactPower(items: number, worse: number, better: number, alpha: number): number {
  const each = { items, level: alpha / 2 }
  const sides = [
    { better, worse },
    { better: worse, worse: better },
  ].map((shares) => betterPower('comparisonPower', { ...each, ...shares }))
  return Math.min(
    1,
    sides.reduce((sum, side) => sum + side),
  )
}

/** How likely so many items become better, and so few worse, that the one-sided exact test of these counts reaches the level. */
export function betterPower(
  statistic: string,
  { items, worse, better, level }: { readonly [name in 'items' | 'worse' | 'better' | 'level']: number },
): number {
  for (const [name, share] of Object.entries({ worse, better, 'worse + better': worse + better }))
    if (!(share >= 0 && share <= 1 + 1e-12)) statisticInvalid(statistic, `${name} must lie in 0 to 1, not ${share}`)
  if (items > mostItems) statisticInvalid(statistic, `items must be at most ${mostItems}, not ${items}`)
  const differing = Math.min(1, worse + better)
  let power = 0
  let least = -1
  for (let n = 0; n <= items; n += 1) {
    // The largest smaller count that is significant grows with n, by one at most.
    if (2 * (least + 1) < n && mcnemarExact(least + 1, n - least - 1) <= 2 * level) least += 1
    const chance = binomial(n, items, differing)
    if (chance < 1e-15 || least < 0) continue
    for (let few = 0; few <= least; few += 1) power += chance * binomial(few, n, worse / differing)
  }
  return Math.min(1, power)
}

/** The chance of `k` of `n`, each with this share. */
export function binomial(k: number, n: number, share: number): number {
  if (share <= 0) return k === 0 ? 1 : 0
  if (share >= 1) return k === n ? 1 : 0
  return Math.exp(logWays(n, k) + k * Math.log(share) + (n - k) * Math.log1p(-share))
}

const steps = 2_000

/** The mean over the standard deviation of a sample of how likely t is exceeded, by Simpson's rule. */
function pairedPower(items: number, effect: number, alpha: number): number {
  const degrees = items - 1
  const critical = studentTQuantile(1 - alpha / 2, degrees)
  const shift = effect * Math.sqrt(items)
  const spread = 12 / Math.sqrt(2 * degrees)
  const [from, to] = [Math.max(0, 1 - spread), 1 + spread]
  const step = (to - from) / steps
  const constant = Math.log(2) + (degrees / 2) * Math.log(degrees / 2) - logGamma(degrees / 2)
  let sum = 0
  for (let index = 0; index <= steps; index += 1) {
    const deviation = from + index * step
    const weight = index === 0 || index === steps ? 1 : index % 2 === 1 ? 4 : 2
    // With one degree of freedom the density does not vanish at 0.
    const logarithm = degrees === 1 ? 0 : (degrees - 1) * Math.log(deviation)
    const density = Math.exp(constant + logarithm - (degrees * deviation ** 2) / 2)
    if (density === 0) continue
    sum += weight * density * (normalTail(critical * deviation - shift) + normalTail(critical * deviation + shift))
  }
  return Math.min(1, (sum * step) / 3)
}
