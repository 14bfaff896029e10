import type { Interval } from '../summary.js'
import type { BootstrapOptions } from './bootstrap.js'
import { checkLevel } from './invalid.js'
import { quantile } from './quantile.js'
import { seededRandom } from './random.js'

/** Units that count the same way: their sums are weighted together, however many they are. */
export interface AlikeUnits {
  readonly units: number
  /** What one unit adds to each sum: the places of the sums, and how much. */
  readonly places: readonly number[]
  readonly amounts: readonly number[]
}

/** Units of which sums are formed, and statistics of these sums. */
export interface SummedUnits<Name extends string> {
  readonly kinds: readonly AlikeUnits[]
  /** What may be seen although it was not: it has a weight of `shape` units in the mean. */
  readonly prior: readonly AlikeUnits[]
  readonly shape: number
  /** How many sums there are. */
  readonly size: number
  /** `null` where a statistic is not defined. */
  readonly statistics: { readonly [name in Name]: (sums: Float64Array) => number | null }
}

/**
 * Intervals of statistics that are functions of sums over units: quantiles of their values when the units are weighted at
 * random, in the mean by 1 each (the Bayesian bootstrap, Rubin 1981, The Annals of Statistics 9:130). A prior keeps what did
 * not happen to be seen possible, as in Jeffreys' interval of a proportion (Brown, Cai and DasGupta 2001, Statistical Science
 * 16:101): so the intervals cover with few units and rare classes too. The weights of units that count alike are one draw.
 *
 * @returns by name; `null` below two units, and where a statistic is not defined in more than half of the draws
 */
export function bayesianBootstrap<Name extends string>(
  { kinds, prior, shape, size, statistics }: SummedUnits<Name>,
  { level = 0.95, resamples = 10_000, seed = 1 }: BootstrapOptions,
): { readonly [name in Name]: Interval | null } {
  checkLevel('bayesianBootstrap', level)
  const names = Object.keys(statistics) as Name[]
  const drawn = names.map(() => new Float64Array(resamples))
  const defined = names.map(() => 0)
  const units = kinds.reduce((sum, kind) => sum + kind.units, 0)
  const random = seededRandom(seed)
  const sums = new Float64Array(size)
  for (let resample = 0; units > 1 && resample < resamples; resample += 1) {
    sums.fill(0)
    for (const kind of kinds) addTo(sums, kind, random.gamma(kind.units))
    for (const kind of prior) addTo(sums, kind, random.gamma(shape))
    for (const [index, name] of names.entries()) {
      const value = statistics[name](sums)
      const values = drawn[index]
      if (value === null || values === undefined) continue
      values[defined[index] ?? 0] = value
      defined[index] = (defined[index] ?? 0) + 1
    }
  }
  const tail = (1 - level) / 2
  const entries = names.map((name, index) => {
    const values = drawn[index]?.subarray(0, defined[index]).sort() ?? new Float64Array()
    if (values.length <= resamples / 2) return [name, null]
    const [low, high] = [quantile(values, tail), quantile(values, 1 - tail)]
    return [name, low === high ? null : { low, high, level, method: 'bootstrap-bayesian' }]
  })
  return Object.fromEntries(entries) as { readonly [name in Name]: Interval | null }
}

function addTo(sums: Float64Array, { places, amounts }: AlikeUnits, weight: number): void {
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] ?? 0
    sums[place] = (sums[place] ?? 0) + weight * (amounts[index] ?? 0)
  }
}
