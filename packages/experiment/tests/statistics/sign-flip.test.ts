import { holmAdjusted, signFlipTest } from '@jurist/experiment/compare'
import { mcnemarExact } from '@jurist/experiment/internal/results'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalTail } from '../../src/result/statistics/distributions.js'

/** By scipy 1.x: permutation_test((d,), sum, permutation_type='samples', n_resamples=inf). */
const scipy: readonly (readonly [readonly number[], number])[] = [
  [[1, 1, 1 / 3, -1 / 3, 2 / 3, 0], 0.1875],
  [[0.308656, -0.193842], 1.0],
  [[-0.372047, -0.777491, -0.00597], 0.25],
  [[0.474282, 0.109922, 0.253553, 0.406971, -0.164644], 0.1875],
  [[0.895686, -0.163072, 0.212066, 0.921874, 0.065724, 0.134288, -0.053564, 0.200358], 0.0859375],
  [[-0.538005, -0.094043, 0.608228, 0.163398, 0.02788, 0.211879, 0.224382, 0.145631, 0.273576, -0.397879], 0.56640625],
  [
    [
      0.277377, -0.102058, 0.335741, 0.093626, -0.199455, 0.078361, -0.202124, 0.40382, 0.091421, 0.355928, -0.234517,
      0.585825, 0.009682, 0.50958,
    ],
    0.072998046875,
  ],
  [[0.75, -0.25, -0.5, 0.5, -0.5, 0.25, 0.5, -0.25, -0.5, 0.25, 0.5, 0.5, 0.5, 0.5], 0.2584228515625],
  [[0.0, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0, -0.3, 0.0], 1.0],
  [
    [
      0.043645, -0.090555, -0.085926, -0.089876, 0.420726, 0.067672, -0.032112, 0.364599, -0.091128, -0.02656, 0.487258,
      -0.057698,
    ],
    0.251953125,
  ],
]

/** Counted in whole numbers with fractions in Python: pass rates of 40 items over 3 and over 10 repetitions. */
const counted: readonly (readonly [number, readonly number[], number])[] = [
  [
    3,
    [
      0, 2, -1, 0, -1, 0, 0, 1, 1, 2, 2, -1, -1, 1, 1, 1, 0, 1, -1, 1, -1, -1, 0, 0, 2, 2, 1, 0, 1, -1, 0, 0, 0, -1, -2,
      0, 2, 1, 0, 1,
    ],
    0.11194947361946106,
  ],
  [
    10,
    [
      3, 0, 1, 4, 0, 3, 1, 2, 3, 0, 2, 3, 2, 1, -1, -1, 7, 3, 1, 1, 1, -2, 1, 1, 1, -1, -5, 4, 0, -1, 3, 1, 6, 0, -3, 0,
      3, 3, 3, -1,
    ],
    0.0018463232554495335,
  ],
]

/** Every flip, one by one. */
function slowSignFlip(differences: readonly number[]): number {
  const far = Math.abs(differences.reduce((sum, one) => sum + one, 0)) - 1e-9
  let reached = 0
  for (let flips = 0; flips < 2 ** differences.length; flips += 1) {
    const sum = differences.reduce((total, one, place) => total + ((flips >> place) & 1 ? -one : one), 0)
    if (Math.abs(sum) >= far) reached += 1
  }
  return reached / 2 ** differences.length
}

/** The same numbers between 0 and 1 each time. */
function numbers(count: number, seed: number): readonly number[] {
  let state = seed
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  })
}

describe('the sign-flip test', () => {
  test.each(scipy)('%j as in scipy', (differences, pValue) => {
    expect(signFlipTest(differences)).toEqual({ method: 'sign-flip-exact', pValue: expect.closeTo(pValue, 12) })
  })

  test.each(counted)('pass rates of %i repetitions', (repetitions, steps, pValue) => {
    expect(signFlipTest(steps.map((step) => step / repetitions)).pValue).toBeCloseTo(pValue, 12)
  })

  test('fine steps keep two digits of what an enumeration says', () => {
    for (const seed of [3, 14, 2_026]) {
      const differences = numbers(19, seed).map((one) => one - 0.35)
      const [slow, { method, pValue }] = [slowSignFlip(differences), signFlipTest(differences)]
      expect(method).toBe('sign-flip-exact')
      expect(Math.abs(pValue - slow)).toBeLessThan(0.01 * slow)
    }
  })

  test('the normal limit says what the count says', () => {
    const thirds = numbers(5_000, 7).map((one) => Math.round(one * 6 - 2.96) / 3)
    const [few, many] = [thirds.slice(0, 1_500), [...thirds, Math.SQRT1_2]]
    expect(signFlipTest(few).method).toBe('sign-flip-exact')
    expect(signFlipTest(many).method).toBe('sign-flip-normal')
    const nearly = signFlipTest([...few.slice(1), Math.SQRT1_2 / 2])
    expect(nearly.method).toBe('sign-flip-normal')
    expect(nearly.pValue).toBeCloseTo(signFlipTest(few).pValue, 1)
    const steady = signFlipTest(few.map((one) => one + 1e-9 * Math.SQRT2))
    expect(Math.abs(steady.pValue - signFlipTest(few).pValue)).toBeLessThan(0.01)
  })

  test('is McNemar where differences have one size, is 1 where there are none, and takes both ends alike', () => {
    const same = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }))
    fc.assert(
      fc.property(same, fc.constantFrom(1, 0.25, 0.3), ([worse, better], size) => {
        const differences = [...Array(worse).fill(-size), ...Array(better).fill(size), 0, 0]
        expect(signFlipTest(differences).pValue).toBeCloseTo(mcnemarExact(worse, better), 12)
      }),
    )
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 30 }), (differences) => {
        const { pValue } = signFlipTest(differences)
        expect(pValue).toBeGreaterThanOrEqual(0)
        expect(pValue).toBeLessThanOrEqual(1)
        expect(signFlipTest(differences.map((one) => -one)).pValue).toBeCloseTo(pValue, 12)
      }),
    )
    expect(signFlipTest([0, 0, 1e-17])).toEqual({ method: 'sign-flip-exact', pValue: 1 })
    expect(signFlipTest([])).toEqual({ method: 'sign-flip-exact', pValue: 1 })
  })

  test('binary fractions do not break ties', () => {
    expect(signFlipTest([0.1 + 0.2, -0.3, 0.5, 0.2]).pValue).toBe(signFlipTest([0.3, -0.3, 0.5, 0.2]).pValue)
  })

  test('refuses what is not a number', () => {
    expect(() => signFlipTest([1, Number.NaN])).toThrow(expect.objectContaining({ code: 'statistic-invalid' }))
  })
})

describe("Holm's method", () => {
  test('as statsmodels: multipletests(…, method="holm")', () => {
    const adjusted = holmAdjusted([0.001, 0.04, 0.03, 0.005, 0.2, 0.04])
    for (const [index, value] of [0.006, 0.12, 0.12, 0.025, 0.2, 0.12].entries())
      expect(adjusted[index]).toBeCloseTo(value, 12)
    expect(holmAdjusted([])).toEqual([])
    expect(holmAdjusted([0.7, 0.6])).toEqual([1, 1])
  })

  test('refuses what is no probability', () => {
    expect(() => holmAdjusted([0.5, 1.5])).toThrow(expect.objectContaining({ code: 'statistic-invalid' }))
  })
})

test.each([
  [0, 0.5],
  [0.5, 0.3085375387259869],
  [-0.5, 1 - 0.3085375387259869],
  [1.96, 0.024997895148220435],
  [3, 0.0013498980316300933],
  [5, 2.866515718791933e-7],
  [30, 4.906713927147908e-198],
])('the normal tail beyond %d is that of scipy', (z, tail) => {
  expect(normalTail(z) / tail).toBeCloseTo(1, 12)
})
