import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/result/statistics/random.js'
import { kolmogorovSmirnov } from '../../src/result/statistics/two-samples.js'

/** The distance of two samples, from its definition. */
function distanceOf(first: readonly number[], second: readonly number[]): number {
  const share = (values: readonly number[], at: number) => values.filter((value) => value <= at).length / values.length
  return Math.max(...[...first, ...second].map((at) => Math.abs(share(first, at) - share(second, at))))
}

/** The p-value from its definition: every way to deal the pooled values into two samples of these sizes. */
function dealtPValue(first: readonly number[], second: readonly number[]): number {
  const pooled = [...first, ...second]
  const observed = distanceOf(first, second)
  let [all, asFar] = [0, 0]
  for (let mask = 0; mask < 2 ** pooled.length; mask += 1) {
    const one = pooled.filter((_, index) => (mask >> index) % 2 === 1)
    if (one.length !== first.length) continue
    const other = pooled.filter((_, index) => (mask >> index) % 2 === 0)
    all += 1
    if (distanceOf(one, other) >= observed - 1e-9) asFar += 1
  }
  return asFar / all
}

describe('kolmogorovSmirnov', () => {
  test.each([
    // Tables of Massey 1951 and Smirnov 1948: 2 / C(6, 3), 2 / C(10, 5).
    [[1, 2, 3], [4, 5, 6], 1, 2 / 20],
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 1, 2 / 252],
    [[1, 3, 5], [2, 4, 6], 1 / 3, 1],
    [[1, 1, 1], [1, 1], 0, 1],
  ])('%j beside %j', (first, second, statistic, pValue) => {
    const test = kolmogorovSmirnov(first, second)
    expect(test.statistic).toBeCloseTo(statistic, 12)
    expect(test.pValue).toBeCloseTo(pValue, 12)
  })

  test('says nothing without values', () => {
    expect(kolmogorovSmirnov([], [1])).toEqual({ statistic: 0, pValue: null })
  })

  test('is exact, with ties too', () => {
    const sample = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(sample, sample, (first, second) => {
        expect(kolmogorovSmirnov(first, second).pValue).toBeCloseTo(dealtPValue(first, second), 9)
      }),
      { numRuns: 60 },
    )
  })

  test('seldom finds a difference between samples of one distribution, and finds a large one', () => {
    const { uniform } = seededRandom(7)
    const sample = (n: number, low = 0) =>
      Array.from({ length: n }, () => Math.floor((low + (1 - low) * uniform()) * 100))
    const alarms = Array.from({ length: 1_000 }, () => kolmogorovSmirnov(sample(120), sample(80)))
    // 1 % of 1,000, and three standard errors.
    expect(alarms.filter(({ pValue }) => (pValue ?? 1) < 0.01).length).toBeLessThanOrEqual(19)
    expect(kolmogorovSmirnov(sample(120), sample(80, 0.5)).pValue).toBeLessThan(0.001)
  })

  test('its limit for very large samples meets the exact value', () => {
    const ramp = (n: number, shift: number) => Array.from({ length: n }, (_, index) => index / n + shift)
    const { pValue } = kolmogorovSmirnov(ramp(5_000, 0), ramp(5_000, 0.02))
    const exact = kolmogorovSmirnov(ramp(4_000, 0), ramp(4_000, 0.02 * Math.sqrt(5 / 4))).pValue
    expect(pValue).toBeCloseTo(exact ?? 0, 1)
  })
})
