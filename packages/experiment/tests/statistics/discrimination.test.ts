import { comparisonPower } from '@jurist/experiment/calibrate'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pearson } from '../../src/result/statistics/correlation.js'
import { normalTail } from '../../src/result/statistics/distributions.js'
import { auroc, brierScore, thresholdSweep } from '../../src/result/statistics/threshold-sweep.js'

const scores = [0.1, 0.4, 0.35, 0.8, 0.8, 0.65, 0.4, 0.9]
const labels = [0, 0, 1, 1, 0, 1, 1, 1]
const outcomes = scores.map((score, index) => ({ score, positive: labels[index] === 1 }))

describe('reference values', () => {
  test('scikit-learn: roc_auc_score, brier_score_loss', () => {
    expect(auroc(outcomes)).toBeCloseTo(0.6666666666666667, 12)
    expect(brierScore(outcomes)).toBeCloseTo(0.22062500000000002, 12)
  })

  test('scipy: pearsonr', () => {
    expect(pearson([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])).toBeCloseTo(0.8320502943378436, 12)
    expect(pearson([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])).toBeCloseTo(-0.5566399985665696, 12)
  })

  // statsmodels: TTestPower().power(effect, nobs, alpha)
  test.each([
    [40, 0.4, 0.05, 0.6939863893011935],
    [10, 0.5, 0.05, 0.2931756065140767],
    [2, 1, 0.05, 0.09280915505633597],
    [100, 0.2, 0.01, 0.2711856140201322],
    [5, 2, 0.05, 0.9088848681009402],
  ])('power of a paired t test: %d items, effect %d, alpha %d', (items, effect, alpha, power) => {
    const given = { items, difference: effect / 2, standardDeviation: 0.5, alpha }
    expect(comparisonPower(given)).toBeCloseTo(power, 6)
    expect(comparisonPower({ ...given, difference: -effect / 2 })).toBeCloseTo(power, 6)
  })

  // Summed with scipy's binom over every outcome.
  test.each([
    [40, 0.05, 0.2, 0.3637055421266889],
    [40, 0, 0.2, 0.8386711827678357],
    [100, 0.1, 0.25, 0.6742876416358088],
    [12, 0.1, 0.5, 0.28891353774200007],
  ])('power of the exact test: %d items, %d worse, %d better', (items, worse, better, power) => {
    expect(comparisonPower({ items, worse, better })).toBeCloseTo(power, 9)
    expect(comparisonPower({ items, worse: better, better: worse })).toBeCloseTo(power, 9)
  })

  test('the normal tail: scipy norm.sf', () => {
    expect(normalTail(1.959963984540054)).toBeCloseTo(0.025, 12)
    expect(normalTail(-1)).toBeCloseTo(0.8413447460685429, 12)
    expect(normalTail(6) / 9.865876450376946e-10).toBeCloseTo(1, 9)
  })
})

describe('laws', () => {
  const some = fc.array(
    fc.record({ score: fc.integer({ min: 0, max: 10 }).map((n) => n / 10), positive: fc.boolean() }),
    {
      minLength: 2,
      maxLength: 40,
    },
  )

  test('the area is the share of pairs in the right order', () => {
    fc.assert(
      fc.property(some, (all) => {
        const [yes, no] = [true, false].map((positive) => all.filter((one) => one.positive === positive))
        const pairs = (yes ?? []).flatMap((one) => (no ?? []).map((other) => Math.sign(one.score - other.score)))
        const expected = pairs.length === 0 ? null : pairs.reduce((sum, sign) => sum + (sign + 1) / 2, 0) / pairs.length
        if (expected === null) expect(auroc(all)).toBeNull()
        else expect(auroc(all)).toBeCloseTo(expected, 12)
      }),
    )
  })

  test('no threshold is better than the best, which is one of the scores', () => {
    fc.assert(
      fc.property(some, (all) => {
        const sweep = thresholdSweep(all)
        expect(sweep === null).toBe(auroc(all) === null)
        if (sweep === null) return
        for (const { kappa } of sweep.rows) expect(kappa ?? -1).toBeLessThanOrEqual(sweep.best.kappa ?? -1)
        expect(all.map(({ score }) => score)).toContain(sweep.best.threshold)
        const right = all.filter(({ score, positive }) => score >= sweep.best.threshold === positive).length
        expect(sweep.best.accuracy).toBeCloseTo(right / all.length, 12)
      }),
    )
  })
})

test('a threshold that was chosen by chance is worth nothing on new items', () => {
  // The score says nothing: the label depends on the place alone.
  const noise = Array.from({ length: 60 }, (_, index) => ({
    score: ((index * 37) % 61) / 61,
    positive: index % 2 === 0,
  }))
  const sweep = thresholdSweep(noise)
  expect(sweep?.best.kappa).toBeGreaterThan(0)
  expect(sweep?.crossValidated?.kappa).toBeLessThan(sweep?.best.kappa ?? 0)
  expect(sweep?.crossValidated?.folds).toBe(10)
  expect(thresholdSweep(noise)).toEqual(sweep)
})

test('outcomes of one unit stay in one fold', () => {
  const units = ['a', 'b', 'c'].flatMap((unit, place) =>
    [0, 1, 2, 3].map((trial) => ({ unit, score: (place * 4 + trial) / 12, positive: trial > 1 })),
  )
  expect(thresholdSweep(units)?.crossValidated?.folds).toBe(3)
  expect(thresholdSweep(units.map(({ unit: _, ...outcome }) => outcome))?.crossValidated?.folds).toBe(10)
})

test('what is not defined is null, and what is impossible is refused', () => {
  expect([auroc([]), brierScore([]), thresholdSweep([]), pearson([1, 1], [1, 2])]).toEqual([null, null, null, null])
  const invalid = expect.objectContaining({ code: 'statistic-invalid' })
  expect(() => brierScore([{ score: 2, positive: true }])).toThrow(invalid)
  expect(() => auroc([{ score: Number.NaN, positive: true }])).toThrow(invalid)
  expect(() => thresholdSweep(outcomes, { folds: 1 })).toThrow(invalid)
  expect(() => comparisonPower({ items: 10, worse: 0.6, better: 0.6 })).toThrow(invalid)
  expect(() => comparisonPower({ items: 10, difference: 1, standardDeviation: 0 })).toThrow(invalid)
})
