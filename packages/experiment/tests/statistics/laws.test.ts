import { JuristError } from '@jurist/core'
import {
  altTest,
  cohenKappa,
  correctedPassRate,
  fleissKappa,
  gwetAC1,
  krippendorffAlpha,
} from '@jurist/experiment/calibrate'
import {
  bootstrapInterval,
  clusteredStandardError,
  passAtK,
  passHatK,
  standardError,
  wilsonInterval,
} from '@jurist/experiment/internal/results'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matthewsCorrelation, perClassScores } from '../../src/result/statistics/confusion.js'
import { kendallTauB, spearman } from '../../src/result/statistics/correlation.js'
import { normalQuantile, studentTProbability, studentTQuantile } from '../../src/result/statistics/distributions.js'
import { effectiveVotes } from '../../src/result/statistics/effective-votes.js'
import { mcnemarExact } from '../../src/result/statistics/paired-tests.js'
import { clopperPearsonUpper } from '../../src/result/statistics/rate-intervals.js'

describe('quantiles', () => {
  test.each([
    [0.975, 1.959963984540054],
    [0.995, 2.5758293035489004],
    [0.5, 0],
    [0.0001, -3.7190164854556804],
    [1e-12, -7.034483825301131],
  ])('normal, %d', (p, expected) => {
    expect(normalQuantile(p)).toBeCloseTo(expected, 9)
  })

  // R: qt(0.975, df)
  test.each([
    [1, 12.706204736432095],
    [2, 4.302652729696142],
    [3, 3.182446305284263],
    [5, 2.570581835636314],
    [10, 2.2281388519649385],
    [30, 2.0422724563012373],
    [99, 1.9842169515086827],
    [100_000, 1.9599877077],
  ])('Student, 0.975 with %d degrees of freedom', (degrees, expected) => {
    expect(studentTQuantile(0.975, degrees)).toBeCloseTo(expected, 8)
  })

  test('Student: the quantile and the probability undo each other', () => {
    const probability = fc.double({ min: 0.001, max: 0.999, noNaN: true })
    fc.assert(
      fc.property(probability, fc.integer({ min: 1, max: 5_000 }), (p, degrees) => {
        expect(studentTProbability(studentTQuantile(p, degrees), degrees)).toBeCloseTo(p, 10)
      }),
    )
  })
})

describe('laws', () => {
  const trials = fc
    .integer({ min: 1, max: 300 })
    .chain((n) => fc.record({ n: fc.constant(n), k: fc.integer({ min: 0, max: n }) }))

  test('Wilson: contains the rate, mirrors, and is exact at the ends', () => {
    fc.assert(
      fc.property(trials, ({ n, k }) => {
        const interval = wilsonInterval(k, n)!
        const mirrored = wilsonInterval(n - k, n)!
        expect(interval.low).toBeLessThanOrEqual(k / n)
        expect(interval.high).toBeGreaterThanOrEqual(k / n)
        expect(mirrored.low).toBeCloseTo(1 - interval.high, 12)
        if (k === 0) expect(interval.low).toBe(0)
        if (k === n) expect(interval.high).toBe(1)
      }),
    )
  })

  test('Wilson of nothing is null', () => {
    expect(wilsonInterval(0, 0)).toBeNull()
  })

  test('pass@1 is pass^1 is the rate; more draws help the one and hurt the other', () => {
    fc.assert(
      fc.property(trials, ({ n, k: c }) => {
        expect(passAtK(n, c, 1)).toBeCloseTo(c / n, 12)
        expect(passHatK(n, c, 1)).toBeCloseTo(c / n, 12)
        for (let k = 2; k <= Math.min(n, 8); k += 1) {
          expect(passAtK(n, c, k)).toBeGreaterThanOrEqual(passAtK(n, c, k - 1)! - 1e-12)
          expect(passHatK(n, c, k)).toBeLessThanOrEqual(passHatK(n, c, k - 1)! + 1e-12)
        }
      }),
    )
  })

  test('pass@k does not overflow at ten thousand', () => {
    expect(passAtK(10_000, 5_000, 5_000)).toBe(1)
    expect(passHatK(10_000, 9_999, 5_000)).toBeCloseTo(0.5, 9)
  })

  test('clusters of one are no clusters', () => {
    const values = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 2, maxLength: 50 })
    fc.assert(
      fc.property(values, (numbers) => {
        const clusters = numbers.map((_, index) => String(index))
        expect(clusteredStandardError(numbers, clusters)).toBeCloseTo(standardError(numbers)!, 9)
      }),
    )
  })

  test('the bootstrap repeats itself, and lies within the values', () => {
    const values = [0.1, 0.9, 0.4, 0.7, 0.2]
    const interval = bootstrapInterval(values, { resamples: 500, seed: 42 })!
    expect(bootstrapInterval(values, { resamples: 500, seed: 42 })).toEqual(interval)
    expect(bootstrapInterval(values, { resamples: 500, seed: 43 })).not.toEqual(interval)
    expect(interval.low).toBeGreaterThanOrEqual(0.1)
    expect(interval.high).toBeLessThanOrEqual(0.9)
  })

  test('too little gives null', () => {
    expect(standardError([1])).toBeNull()
    expect(standardError([])).toBeNull()
    expect(bootstrapInterval([1])).toBeNull()
    expect(clusteredStandardError([], [])).toBeNull()
    expect(clusteredStandardError([1, 0], ['a', 'a'], { correction: false })).toBeNull()
  })
})

test('what is not defined is null', () => {
  const nothing = { value: null, standardError: null, interval: null }
  expect([
    cohenKappa([]),
    cohenKappa([[3]]),
    cohenKappa([
      [3, 0],
      [0, 0],
    ]),
  ]).toEqual([nothing, nothing, nothing])
  expect([
    gwetAC1([]),
    gwetAC1([[3]]),
    gwetAC1([
      [0, 0],
      [0, 0],
    ]),
  ]).toEqual([null, null, null])
  expect([
    matthewsCorrelation([]),
    matthewsCorrelation([
      [1, 2],
      [0, 0],
    ]),
  ]).toEqual([null, null])
  expect([
    fleissKappa([]),
    fleissKappa([
      [3, 0],
      [3, 0],
    ]),
  ]).toEqual([null, null])
  expect([krippendorffAlpha([]), krippendorffAlpha([[1], [1]]), krippendorffAlpha([[1, null]])]).toEqual([
    null,
    null,
    null,
  ])
  expect([
    krippendorffAlpha([
      ['a', 'b'],
      ['a', 'b'],
    ]),
    perClassScores({ labels: [], matrix: [] }),
  ]).toEqual([1, {}])
  expect([effectiveVotes([]), effectiveVotes([[0, 1]])].map(({ effectiveVotes: votes }) => votes)).toEqual([null, null])
  expect([spearman([], []), spearman([1], [2]), kendallTauB([], []), kendallTauB([1], [2])]).toEqual([
    null,
    null,
    null,
    null,
  ])
  expect(correctedPassRate(0.5, 0.5, 0.5)).toBeNull()
  expect(clopperPearsonUpper(0, 0, 0.1)).toBe(1)
})

test.each([
  ['a negative count', () => wilsonInterval(-1, 3), 'wilsonInterval'],
  ['half a trial', () => wilsonInterval(1.5, 3), 'wilsonInterval'],
  ['a level of 1', () => wilsonInterval(1, 3, 1), 'wilsonInterval'],
  ['a level that is not a number', () => wilsonInterval(1, 3, Number.NaN), 'wilsonInterval'],
  ['more passes than trials', () => passAtK(3, 4, 1), 'passAtK'],
  ['a negative k', () => passHatK(3, 1, -1), 'passHatK'],
  ['NaN', () => standardError([1, Number.NaN]), 'standardError'],
  ['unequal lengths', () => clusteredStandardError([1, 2], ['a']), 'clusteredStandardError'],
  ['no resamples', () => bootstrapInterval([1, 2], { resamples: 0 }), 'bootstrapInterval'],
  ['a negative count of pairs', () => mcnemarExact(-1, 2), 'mcnemarExact'],
  ['half a pair', () => mcnemarExact(0.5, 2), 'mcnemarExact'],
  ['more errors than trials', () => clopperPearsonUpper(2, 1, 0.1), 'clopperPearsonUpper'],
  ['a risk of 0', () => clopperPearsonUpper(1, 3, 0), 'clopperPearsonUpper'],
  ['a ragged matrix', () => cohenKappa([[1, 2], [3]]), 'cohenKappa'],
  [
    'a negative cell',
    () =>
      gwetAC1([
        [1, -2],
        [3, 4],
      ]),
    'gwetAC1',
  ],
  ['a matrix with half a trial', () => matthewsCorrelation([[0.5]]), 'matthewsCorrelation'],
  ['a level of kappa above 1', () => cohenKappa([[1]], { level: 1.5 }), 'cohenKappa'],
  [
    'too few labels',
    () =>
      perClassScores({
        labels: ['a'],
        matrix: [
          [1, 2],
          [3, 4],
        ],
      }),
    'perClassScores',
  ],
  [
    'the same label twice',
    () =>
      perClassScores({
        labels: ['a', 'a'],
        matrix: [
          [1, 2],
          [3, 4],
        ],
      }),
    'perClassScores',
  ],
  [
    'rows of unequal sum',
    () =>
      fleissKappa([
        [2, 0],
        [1, 0],
      ]),
    'fleissKappa',
  ],
  ['rows of unequal length', () => fleissKappa([[2, 0], [2]]), 'fleissKappa'],
  ['a single rating an item', () => fleissKappa([[1, 0]]), 'fleissKappa'],
  ['raters with unequal units', () => krippendorffAlpha([[1, 2], [1]]), 'krippendorffAlpha'],
  [
    'names with distances',
    () =>
      krippendorffAlpha(
        [
          ['a', 'b'],
          ['a', 'c'],
        ],
        'interval',
      ),
    'krippendorffAlpha',
  ],
  [
    'ratios below 0',
    () =>
      krippendorffAlpha(
        [
          [1, -1],
          [1, 2],
        ],
        'ratio',
      ),
    'krippendorffAlpha',
  ],
  ['members with unequal items', () => effectiveVotes([[0, 1], [0]]), 'effectiveVotes'],
  ['an error of 2', () => effectiveVotes([[2 as 1, 1]]), 'effectiveVotes'],
  [
    'ratings of NaN',
    () =>
      krippendorffAlpha([
        [Number.NaN, 2],
        [Number.NaN, 3],
      ]),
    'krippendorffAlpha',
  ],
  [
    'an unknown level',
    () =>
      krippendorffAlpha(
        [
          [1, 2],
          [1, 3],
        ],
        'metric' as 'ratio',
      ),
    'krippendorffAlpha',
  ],
  [
    'unknown weights',
    () =>
      cohenKappa(
        [
          [1, 0],
          [0, 1],
        ],
        { weights: 'cubic' as 'linear' },
      ),
    'cohenKappa',
  ],
  ['unequal sides', () => spearman([1, 2], [1]), 'spearman'],
  ['ranks of NaN', () => kendallTauB([1, Number.NaN], [1, 2]), 'kendallTauB'],
  ['a rate above 1', () => correctedPassRate(1.1, 0.9, 0.9), 'correctedPassRate'],
  [
    'distances of names',
    () => altTest({ annotators: { a: { i: 'x' }, b: { i: 'y' } }, judge: { i: 'x' }, scoring: 'rmse' }),
    'altTest',
  ],
  ['a q of 0', () => altTest({ annotators: {}, judge: {}, q: 0 }), 'altTest'],
  ['annotators with half an item', () => altTest({ annotators: {}, judge: {}, minimumItems: 0.5 }), 'altTest'],
  ['an epsilon without end', () => altTest({ annotators: {}, judge: {}, epsilon: Number.NaN }), 'altTest'],
  ['a broken seed', () => bootstrapInterval([1, 2], { seed: 0.5 }), 'bootstrapInterval'],
])('refuses %s', (_, compute, statistic) => {
  try {
    compute()
    expect.unreachable()
  } catch (thrown) {
    expect(JuristError.is(thrown, 'statistic-invalid') && thrown.details.statistic).toBe(statistic)
  }
})
