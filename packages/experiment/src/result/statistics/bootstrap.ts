import type { Interval } from '../summary.js'
import { sumOf } from './confusion.js'
import { meanOf, quantile } from './descriptive.js'
import { normalQuantile, normalTail, studentTQuantile } from './distributions.js'
import { checkLevel, checkValues, statisticInvalid } from './invalid.js'
import { seededRandom } from './random.js'

export interface BootstrapOptions {
  readonly level?: number
  readonly resamples?: number
  readonly seed?: number
}

/**
 * The percentile bootstrap interval of a mean. The same seed gives the same interval on every machine. It is too narrow for
 * few values, and without width where all are equal: figures of comparisons and calibrations are widened.
 *
 * @param options.level default 0.95
 * @param options.resamples default 10,000
 * @param options.seed a whole number, default 1
 * @returns `null` below two values
 * @throws `statistic-invalid` for values that are not finite and options out of range
 */
export function bootstrapInterval(values: readonly number[], options: BootstrapOptions = {}): Interval | null {
  checkValues('bootstrapInterval', values)
  return percentileInterval('bootstrapInterval', Float64Array.from(values), null, options)
}

/**
 * Like `bootstrapInterval`, for a mean of few values as well: the percentile interval is that of a normal distribution with the
 * variance of the sample, so for few values it is too narrow (it covers 83 % at 5). Its distances from the mean are widened
 * by t/z · √(n/(n − 1)) (Hesterberg 2015, What Teachers Should Know About the Bootstrap, The American Statistician 69:371).
 *
 * @returns `null` below two values, and where all are equal: no width would look like certainty
 */
export function widenedBootstrap(values: readonly number[], options: BootstrapOptions = {}): Interval | null {
  checkValues('bootstrapInterval', values)
  const interval = percentileInterval('bootstrapInterval', Float64Array.from(values), null, options)
  return interval === null || values.every((value) => value === values[0])
    ? null
    : widened(interval, meanOf(values), values.length)
}

function widened({ low, high, level }: Interval, centre: number, units: number): Interval {
  const factor = wideningOf(units, level)
  return {
    low: centre - factor * Math.max(0, centre - low),
    high: centre + factor * Math.max(0, high - centre),
    level,
    method: 'bootstrap-widened',
  }
}

/** How much wider an interval of `units` independent values is than the normal one of the bootstrap. */
function wideningOf(units: number, level: number): number {
  const tail = (1 + level) / 2
  return (studentTQuantile(tail, units - 1) / normalQuantile(tail)) * Math.sqrt(units / (units - 1))
}

/** Counts of one unit: how many of its things are so. */
export interface UnitCounts {
  readonly matches: number
  readonly trials: number
}

/**
 * The widened bootstrap interval of the share of all matches in all trials, within [0, 1]: units of more trials count for
 * more. `null` below two units, and where all shares are equal.
 */
export function bootstrapShare(units: readonly UnitCounts[], options: BootstrapOptions): Interval | null {
  const interval = percentileShare(units, options)
  const [first] = units
  if (interval === null || first === undefined) return null
  if (units.every(({ matches, trials }) => matches * first.trials === first.matches * trials)) return null
  const [matches, trials] = [sumOf(units.map((unit) => unit.matches)), sumOf(units.map((unit) => unit.trials))]
  const { low, high, ...rest } = widened(interval, matches / trials, units.length)
  return { low: Math.max(0, low), high: Math.min(1, high), ...rest }
}

function percentileShare(units: readonly UnitCounts[], options: BootstrapOptions): Interval | null {
  // Where all are of one size the share is the mean of theirs, which takes half the time.
  if (units.every(({ trials }) => trials === units[0]?.trials)) {
    const shares = Float64Array.from(units, ({ matches, trials }) => matches / trials)
    return percentileInterval('bootstrapShare', shares, null, options)
  }
  const matches = Float64Array.from(units, (unit) => unit.matches)
  const sizes = Float64Array.from(units, (unit) => unit.trials)
  return percentileInterval('bootstrapShare', matches, sizes, options)
}

function percentileInterval(
  statistic: string,
  values: Float64Array,
  sizes: Float64Array | null,
  { level = 0.95, resamples = 10_000, seed = 1 }: BootstrapOptions,
): Interval | null {
  checkLevel(statistic, level)
  if (!Number.isSafeInteger(resamples) || resamples < 1)
    statisticInvalid(statistic, `resamples must be a whole number of at least 1, not ${resamples}`)
  if (!Number.isSafeInteger(seed)) statisticInvalid(statistic, `seed must be a whole number, not ${seed}`)
  if (values.length < 2) return null
  const means = resampledMeans(values, sizes, resamples, seed).sort()
  const tail = (1 - level) / 2
  return { low: quantile(means, tail), high: quantile(means, 1 - tail), level, method: 'bootstrap' }
}

/**
 * The means of resamples, or with sizes the shares of sums of values in sums of sizes, drawn by the generator mulberry32: 32
 * bits of state, the same on every machine. Its steps are in the loop because nearly all of the time is spent there.
 */
function resampledMeans(
  values: Float64Array,
  sizes: Float64Array | null,
  resamples: number,
  seed: number,
): Float64Array {
  const means = new Float64Array(resamples)
  const n = values.length
  let state = seed | 0
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0
    let size = 0
    for (let drawn = 0; drawn < n; drawn += 1) {
      state = (state + 0x6d2b79f5) | 0
      let t = Math.imul(state ^ (state >>> 15), state | 1)
      t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
      const place = Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n)
      sum += values[place] ?? 0
      if (sizes !== null) size += sizes[place] ?? 0
    }
    means[resample] = sum / (sizes === null ? n : size)
  }
  return means
}

/** Units by kind: those of one kind are the same, and are weighted together, however many they are. */
export interface UnitKinds {
  readonly units: readonly number[]
  /** How many kinds may be seen although they were not: each has a weight of `shape` units in the mean. */
  readonly unseen: number
  readonly shape: number
}

/**
 * Intervals of statistics of units: quantiles of their values when the units are weighted at random, in the mean by 1 each
 * (the Bayesian bootstrap, Rubin 1981, The Annals of Statistics 9:130). A prior keeps what did not happen to be seen
 * possible, as in Jeffreys' interval of a proportion (Brown, Cai and DasGupta 2001, Statistical Science 16:101), and
 * quantiles are widened for few units: the intervals cover with few units and rare classes too.
 *
 * @param resampled what the measures are of, given the weight of each kind, those that were not seen last
 * @returns by name; `null` below two units, and where a measure is not defined in more than half of the draws
 */
export function bayesianBootstrap<Sample, Name extends string>(
  { units, unseen, shape }: UnitKinds,
  resampled: (weights: readonly number[]) => Sample,
  measures: { readonly [name in Name]: (sample: Sample) => number | null },
  { level = 0.95, resamples = 10_000, seed = 1 }: BootstrapOptions,
): { readonly [name in Name]: Interval | null } {
  checkLevel('bayesianBootstrap', level)
  const shapes = [...units, ...Array.from({ length: unseen }, () => shape)]
  const count = sumOf(units)
  const random = seededRandom(seed)
  const drawn = new Map((Object.keys(measures) as Name[]).map((name): [Name, number[]] => [name, []]))
  for (let resample = 0; count > 1 && resample < resamples; resample += 1) {
    const sample = resampled(shapes.map(random.gamma))
    for (const [name, values] of drawn) {
      const value = measures[name](sample)
      if (value !== null) values.push(value)
    }
  }
  const tail = widenedTail(level, count)
  const intervals = [...drawn].map(([name, values]) => {
    if (values.length <= resamples / 2) return [name, null]
    const sorted = Float64Array.from(values).sort()
    const [low, high] = [quantile(sorted, tail), quantile(sorted, 1 - tail)]
    return [name, low === high ? null : { low, high, level, method: 'bootstrap-bayesian' }]
  })
  return Object.fromEntries(intervals) as { readonly [name in Name]: Interval | null }
}

/**
 * The share of draws beyond each end. For few units the quantiles are moved out as far as Student's t and the variance of a
 * sample ask for (Hesterberg 2015, The American Statistician 69:371, section 5.3).
 */
function widenedTail(level: number, units: number): number {
  if (units < 2) return (1 - level) / 2
  const distance = Math.sqrt(units / (units - 1)) * studentTQuantile((1 + level) / 2, units - 1)
  return normalTail(distance)
}
