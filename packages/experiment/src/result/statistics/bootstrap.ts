import type { Interval } from '../summary.js'
import { checkLevel, checkValues, statisticInvalid } from './invalid.js'
import { quantile } from './quantile.js'

/**
 * The percentile bootstrap interval of a mean. The same seed gives the same interval on every machine.
 *
 * @param options.level default 0.95
 * @param options.resamples default 10,000
 * @param options.seed a whole number, default 1
 * @returns `null` below two values
 * @throws `statistic-invalid` for values that are not finite and options out of range
 *
 * @example
 * bootstrapInterval([1, 1, 0, 0, 1, 0, 1, 1], { resamples: 1_000 }) // { low: 0.25, high: 0.875, … }
 */
export function bootstrapInterval(
  values: readonly number[],
  options: { readonly level?: number; readonly resamples?: number; readonly seed?: number } = {},
): Interval | null {
  const { level = 0.95, resamples = 10_000, seed = 1 } = options
  checkValues('bootstrapInterval', values)
  checkLevel('bootstrapInterval', level)
  if (!Number.isSafeInteger(resamples) || resamples < 1)
    statisticInvalid('bootstrapInterval', `resamples must be a whole number of at least 1, not ${resamples}`)
  if (!Number.isSafeInteger(seed)) statisticInvalid('bootstrapInterval', `seed must be a whole number, not ${seed}`)
  if (values.length < 2) return null
  const means = resampledMeans(Float64Array.from(values), resamples, seed).sort()
  const tail = (1 - level) / 2
  return { low: quantile(means, tail), high: quantile(means, 1 - tail), level, method: 'bootstrap' }
}

/**
 * The means of resamples, drawn by the generator mulberry32: 32 bits of state, the same on every machine. Its steps stand
 * in the loop because nearly all of the time is spent there.
 */
function resampledMeans(values: Float64Array, resamples: number, seed: number): Float64Array {
  const means = new Float64Array(resamples)
  const n = values.length
  let state = seed | 0
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0
    for (let drawn = 0; drawn < n; drawn += 1) {
      state = (state + 0x6d2b79f5) | 0
      let t = Math.imul(state ^ (state >>> 15), state | 1)
      t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
      sum += values[Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n)] ?? 0
    }
    means[resample] = sum / n
  }
  return means
}
