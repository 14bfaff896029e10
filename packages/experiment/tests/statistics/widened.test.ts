import { compare } from '@jurist/experiment/compare'
import { resultOf } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import { expect, test } from 'vitest'
import { bootstrapInterval, bootstrapShare, widenedBootstrap } from '../../src/result/statistics/bootstrap.js'

const values = [0.1, 0.5, 0.2, 0.9, 0.4]

test('few values: the distances of the percentile interval from the mean, times t/z · √(n/(n − 1))', () => {
  const plain = bootstrapInterval(values)
  const wide = widenedBootstrap(values)
  // R: qt(0.975, 4)/qnorm(0.975) * sqrt(5/4)
  const factor = (2.7764451051977987 / 1.959963984540054) * Math.sqrt(5 / 4)
  const mean = 0.42
  expect(wide?.low).toBeCloseTo(mean - factor * (mean - (plain?.low ?? 0)), 9)
  expect(wide?.high).toBeCloseTo(mean + factor * ((plain?.high ?? 0) - mean), 9)
})

test('many values: as good as the percentile interval', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => (index * 37) % 101)
  const [plain, wide] = [bootstrapInterval(many, { resamples: 500 }), widenedBootstrap(many, { resamples: 500 })]
  expect(wide?.low).toBeCloseTo(plain?.low ?? 0, 1)
  expect(wide?.high).toBeCloseTo(plain?.high ?? 0, 1)
})

test('no width is no certainty: equal values have no interval', () => {
  expect(widenedBootstrap([0.3, 0.3, 0.3])).toBeNull()
  expect(widenedBootstrap([0.3])).toBeNull()
  const alike = Array.from({ length: 12 }, () => ({ matches: 2, trials: 3 }))
  expect(bootstrapShare(alike, {})).toBeNull()
  expect(bootstrapShare([...alike, { matches: 4, trials: 6 }], {})).toBeNull()
})

test('a share stays a share', () => {
  const units = [
    { matches: 5, trials: 5 },
    { matches: 4, trials: 5 },
    { matches: 5, trials: 5 },
  ]
  const { low, high } = bootstrapShare(units, { resamples: 1_000 }) ?? { low: -1, high: 2 }
  expect(low).toBeGreaterThan(0)
  expect(high).toBe(1)
})

test('runs that do not differ have a difference, and no interval of it without width', () => {
  const run = (id: string) =>
    resultOf({
      ...aResult({
        id,
        items: Array.from({ length: 12 }, (_, index) => anItem({ itemId: `i${index}`, scores: { style: 0.5 } })),
      }),
      planned: 12,
    })
  const { passRate, scores } = compare(run('one'), run('two'))
  expect(passRate).toMatchObject({ delta: 0 })
  expect(passRate?.interval).not.toMatchObject({ low: 0, high: 0 })
  expect(scores['style']?.interval).toBeNull()
})
