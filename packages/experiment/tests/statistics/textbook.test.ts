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
  mcnemarExact,
  passAtK,
  passHatK,
  standardError,
  wilsonInterval,
} from '@jurist/experiment/internal/results'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matthewsCorrelation, perClassScores } from '../../src/result/statistics/confusion.js'
import { kendallTauB, spearman } from '../../src/result/statistics/correlation.js'
import { effectiveVotes } from '../../src/result/statistics/effective-votes.js'
import { clopperPearsonUpper } from '../../src/result/statistics/rate-intervals.js'
import * as agreement from './textbook-agreement.js'
import * as chance from './textbook-chance.js'

const matrices = fc
  .integer({ min: 2, max: 4 })
  .chain((size) =>
    fc.array(fc.array(fc.nat(6), { minLength: size, maxLength: size }), { minLength: size, maxLength: size }),
  )
  .filter((matrix) => {
    const pairs = agreement.pairsOf(matrix)
    return new Set(pairs.map(([i]) => i)).size > 1 && new Set(pairs.map(([, j]) => j)).size > 1
  })
const numbers = (options: { min: number; max: number }) =>
  fc.array(fc.integer(options), { minLength: 2, maxLength: 12 })
const trials = fc.integer({ min: 1, max: 40 }).chain((n) => fc.tuple(fc.nat(n), fc.constant(n)))

describe('a second opinion on agreement', () => {
  test.each(['none', 'linear', 'quadratic'] as const)('kappa, weights %s', (weights) => {
    fc.assert(
      fc.property(matrices, (matrix) => {
        const apart = (i: number, j: number) => Math.abs(i - j) / (matrix.length - 1)
        const power = { none: 0, linear: 1, quadratic: 2 }[weights]
        const weight = (i: number, j: number) => (i === j ? 1 : 1 - apart(i, j) ** power)
        const kappa = cohenKappa(matrix, { weights })
        expect(kappa.value).toBeCloseTo(agreement.slowKappa(matrix, weight), 9)
        const error = agreement.slowKappaError(matrix, weight)
        // The root of nearly nothing magnifies the steps of the slopes.
        expect((kappa.standardError as number) ** 2).toBeCloseTo(Number.isNaN(error) ? 0 : error ** 2, 6)
        const { low, high } = kappa.interval as { low: number; high: number }
        expect([low >= -1, high <= 1, low <= (kappa.value as number) + 1e-12]).toEqual([true, true, true])
      }),
    )
  })

  test('Fleiss', () => {
    const tables = fc
      .tuple(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 2, max: 4 }))
      .chain(([raters, categories]) =>
        fc
          .array(fc.array(fc.nat(categories - 1), { minLength: raters, maxLength: raters }), {
            minLength: 1,
            maxLength: 8,
          })
          .map((items) =>
            items.map((item) => Array.from({ length: categories }, (_, k) => item.filter((one) => one === k).length)),
          ),
      )
    fc.assert(
      fc.property(tables, (table) => {
        const used = new Set(table.flatMap((row) => row.flatMap((count, k) => (count > 0 ? k : []))))
        if (used.size < 2) expect(fleissKappa(table)).toBeNull()
        else expect(fleissKappa(table)).toBeCloseTo(agreement.slowFleiss(table), 9)
      }),
    )
  })

  test.each(['nominal', 'ordinal', 'interval', 'ratio'] as const)('alpha, %s', (level) => {
    const ratings = fc.tuple(fc.integer({ min: 2, max: 4 }), fc.integer({ min: 1, max: 8 })).chain(([raters, units]) =>
      fc.array(fc.array(fc.option(fc.nat(5)), { minLength: units, maxLength: units }), {
        minLength: raters,
        maxLength: raters,
      }),
    )
    fc.assert(
      fc.property(ratings, (given) => {
        const slow = agreement.slowAlpha(given, level)
        if (slow === null) expect(krippendorffAlpha(given, level)).toBeNull()
        else expect(krippendorffAlpha(given, level)).toBeCloseTo(slow, 9)
      }),
    )
  })

  test('AC1 and Matthews', () => {
    fc.assert(
      fc.property(matrices, (matrix) => {
        expect(gwetAC1(matrix)).toBeCloseTo(agreement.slowAC1(matrix), 9)
        expect(matthewsCorrelation(matrix)).toBeCloseTo(agreement.slowMatthews(matrix), 9)
      }),
    )
  })

  test('figures by class', () => {
    fc.assert(
      fc.property(matrices, (matrix) => {
        const pairs = agreement.pairsOf(matrix)
        const labels = matrix.map((_, index) => `label ${index}`)
        for (const [k, scores] of Object.values(perClassScores({ labels, matrix })).entries()) {
          const [expected, predicted] = [pairs.filter(([i]) => i === k), pairs.filter(([, j]) => j === k)]
          const hits = expected.filter(([, j]) => j === k).length
          expect(scores).toMatchObject({ support: expected.length, predicted: predicted.length })
          expect(scores.recall).toBe(expected.length === 0 ? null : hits / expected.length)
          expect(scores.precision).toBe(predicted.length === 0 ? null : hits / predicted.length)
          const [p, r] = [scores.precision ?? 0, scores.recall ?? 0]
          if (p + r > 0) expect(scores.f1).toBeCloseTo((2 * p * r) / (p + r), 12)
        }
      }),
    )
  })

  test('rank correlations', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { minLength: 1, maxLength: 20 }), (pairs) => {
        const [a, b] = [pairs.map(([one]) => one), pairs.map(([, two]) => two)]
        const rho = agreement.slowPearson(agreement.slowRanks(a), agreement.slowRanks(b))
        const tau = agreement.slowTauB(a, b)
        if (rho === null) expect([spearman(a, b), kendallTauB(a, b)]).toEqual([null, null])
        else
          expect([spearman(a, b), kendallTauB(a, b)]).toEqual([
            expect.closeTo(rho, 9),
            expect.closeTo(tau as number, 9),
          ])
      }),
    )
  })

  test('effective votes', () => {
    const error = fc.constantFrom(0 as const, 1 as const, null)
    const errors = fc
      .integer({ min: 2, max: 10 })
      .chain((items) =>
        fc.array(fc.array(error, { minLength: items, maxLength: items }), { minLength: 2, maxLength: 4 }),
      )
    fc.assert(
      fc.property(errors, (given) => {
        const correlations = given.flatMap((one, i) =>
          given.slice(i + 1).flatMap((two) => {
            const both = one.flatMap((x, k) => (x === null || two[k] === null ? [] : [[x, two[k] as number] as const]))
            return (
              agreement.slowPearson(
                both.map(([x]) => x),
                both.map(([, y]) => y),
              ) ?? []
            )
          }),
        )
        const { meanCorrelation, effectiveVotes: votes } = effectiveVotes(given)
        if (correlations.length === 0) {
          expect([meanCorrelation, votes]).toEqual([null, null])
          return
        }
        const mean = correlations.reduce((sum, one) => sum + one, 0) / correlations.length
        expect(meanCorrelation).toBeCloseTo(mean, 9)
        expect(votes).toBeCloseTo(given.length / (1 + (given.length - 1) * Math.max(0, mean)), 9)
      }),
    )
  })
})

describe('a second opinion on chance', () => {
  test('Wilson', () => {
    fc.assert(
      fc.property(trials, fc.constantFrom(0.5, 0.9, 0.95, 0.99), ([k, n], level) => {
        const [low, high] = chance.slowWilson(k, n, level)
        expect(wilsonInterval(k, n, level)).toMatchObject({
          low: expect.closeTo(low, 7),
          high: expect.closeTo(high, 7),
        })
      }),
      { numRuns: 30 },
    )
  })

  test('Clopper and Pearson', () => {
    fc.assert(
      fc.property(trials, fc.double({ min: 0.01, max: 0.5, noNaN: true }), ([k, n], delta) => {
        const bound = k === n ? 1 : chance.root((p) => chance.slowBinomial(k, n, p) - delta, 0, 1)
        expect(clopperPearsonUpper(k, n, delta)).toBeCloseTo(bound, 9)
      }),
    )
  })

  test('McNemar, pass@k and pass^k, counted out', () => {
    fc.assert(
      fc.property(fc.nat(120), fc.nat(120), fc.nat(20), (a, b, k) => {
        expect(mcnemarExact(a, b)).toBeCloseTo(chance.slowMcnemar(a, b), 12)
        if (k > a + b) {
          expect([passAtK(a + b, a, k), passHatK(a + b, a, k)]).toEqual([null, null])
          return
        }
        const all = chance.choose(a + b, k)
        expect(passAtK(a + b, a, k)).toBeCloseTo(1 - chance.fraction(chance.choose(b, k), all), 12)
        expect(passHatK(a + b, a, k)).toBeCloseTo(chance.fraction(chance.choose(a, k), all), 12)
      }),
    )
  })

  test('McNemar where 2^-n underflows', () => {
    expect(mcnemarExact(950, 1_050)).toBeCloseTo(chance.slowMcnemar(950, 1_050), 10)
    expect(mcnemarExact(0, 5_000)).toBe(0)
    expect(mcnemarExact(50_000, 50_300)).toBeGreaterThan(0.3)
  })

  test('errors of means', () => {
    fc.assert(
      fc.property(numbers({ min: -9, max: 9 }), fc.infiniteStream(fc.constantFrom('a', 'b', 'c')), (values, names) => {
        // The root of a sum that cancels: the textbook keeps half of the digits.
        const clusters = values.map(() => names.next().value as string)
        const alone = values.map((_, index) => String(index))
        expect(standardError(values)).toBeCloseTo(chance.slowClustered(values, alone, true), 6)
        for (const correction of [true, false])
          if (new Set(clusters).size < 2) expect(clusteredStandardError(values, clusters, { correction })).toBeNull()
          else
            expect(clusteredStandardError(values, clusters, { correction })).toBeCloseTo(
              chance.slowClustered(values, clusters, correction),
              6,
            )
      }),
    )
  })

  test('the bootstrap', () => {
    const seeds = fc.integer({ min: -(2 ** 31), max: 2 ** 32 })
    fc.assert(
      fc.property(numbers({ min: -9, max: 9 }), seeds, fc.integer({ min: 1, max: 60 }), (values, seed, resamples) => {
        const [low, high] = chance.slowBootstrap(values, { level: 0.9, resamples, seed })
        expect(bootstrapInterval(values, { level: 0.9, resamples, seed })).toMatchObject({
          low: expect.closeTo(low, 12),
          high: expect.closeTo(high, 12),
        })
      }),
    )
  })

  test('the corrected pass rate undoes what the judge does', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(rate, rate, rate, (truth, sensitivity, specificity) => {
        const observed = truth * sensitivity + (1 - truth) * (1 - specificity)
        const corrected = correctedPassRate(observed, sensitivity, specificity)
        if (sensitivity + specificity - 1 <= 0) expect(corrected).toBeNull()
        else if (sensitivity + specificity - 1 > 1e-6) expect(corrected).toBeCloseTo(truth, 6)
      }),
    )
  })

  test('the alternative annotator test', () => {
    const rating = fc.constantFrom('a', 'b')
    const column = fc.array(rating, { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(fc.tuple(column, column, column, column), ([judge, ...people]) => {
        const byItem = (ratings: readonly string[]) => Object.fromEntries(ratings.map((one, i) => [`i${i}`, one]))
        const annotators = Object.fromEntries(people.map((ratings, index) => [`h${index}`, byItem(ratings)]))
        const result = altTest({ annotators, judge: byItem(judge), minimumItems: 6 })
        const pValues = people.map((own, j) => {
          const gains = own.map((mine, i) => {
            const share = (x: string | undefined) => people.filter((other, k) => k !== j && other[i] === x).length
            return Number(share(mine) >= share(judge[i])) - Number(share(judge[i]) >= share(mine))
          })
          const mean = gains.reduce<number>((sum, gain) => sum + gain, 0) / 6
          const spread = Math.sqrt(gains.reduce<number>((sum, gain) => sum + (gain - mean) ** 2, 0) / 5)
          if (new Set(gains).size === 1) return mean < 0.2 ? 0 : 1
          return chance.slowStudent((mean - 0.2) / (spread / Math.sqrt(6)), 5)
        })
        const harmonic = 1 + 1 / 2 + 1 / 3
        const ranked = [...pValues].sort((x, y) => x - y)
        const bar = Math.max(-1, ...ranked.filter((p, i) => p <= ((i + 1) * 0.05) / (3 * harmonic)))
        for (const [j, p] of pValues.entries())
          expect(result.annotators[`h${j}`]).toMatchObject({ pValue: expect.closeTo(p, 7), rejected: p <= bar })
        expect(result.winningRate).toBeCloseTo(pValues.filter((p) => p <= bar).length / 3, 12)
      }),
      { numRuns: 25 },
    )
  })
})
