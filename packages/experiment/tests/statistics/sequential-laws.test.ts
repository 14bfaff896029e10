import { sequentialPower } from '@jurist/experiment/compare'
import { estimateRate } from '@jurist/experiment/label'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { differenceSequence, notWorse } from '../../src/result/statistics/bets.js'
import { thresholdEvidence, thresholdLooks } from '../../src/result/statistics/finite-rate.js'
import { formOf, marginPower, sequentialLooks } from '../../src/result/statistics/sequential.js'

const invalid = expect.objectContaining({ code: 'statistic-invalid' })

describe('a comparison that stops when it is decided', () => {
  const outcomes = fc.array(fc.constantFrom(1, 1, 0, -1, null), { minLength: 10, maxLength: 120 })

  test('is decided exactly where p is at most alpha, and its interval leaves out 0 exactly where a look stops', () => {
    fc.assert(
      fc.property(outcomes, (differences) => {
        const looks = sequentialLooks(formOf('passed', 1))
        const taken: number[] = []
        for (const difference of differences) {
          if (looks.now.why !== null) break
          looks.take(difference)
          if (difference === null) continue
          taken.push(difference)
          if (taken.length < 10) continue
          const { low, high } = differenceSequence(taken, { level: 0.975 })
          expect(low > 0 || high < 0).toBe(looks.now.why !== null)
        }
        const { stop, p, crossed } = looks.ended()
        if (stop !== null) expect([p <= 0.025, p]).toEqual([true, crossed])
        else expect(p).toBeGreaterThanOrEqual(crossed)
      }),
      { numRuns: 30 },
    )
  })

  test('has the same law with the sides exchanged', () => {
    fc.assert(
      fc.property(outcomes, (differences) => {
        const ended = [1, -1].map((sign) => {
          const looks = sequentialLooks(formOf('passed', 1))
          for (const one of differences) looks.take(one === null ? null : sign * one)
          return looks.ended()
        })
        expect(ended[1]?.p).toBe(ended[0]?.p)
        expect(ended[1]?.stop).toBe(ended[0]?.stop)
      }),
    )
  })

  test.each([
    [100, 0.1, 0.658, 0.93],
    [100, 0.15, 0.936, 0.78],
    [200, 0.05, 0.421, 0.97],
  ])('of %i items shows a margin of %f as often as an independent program found', (items, margin, shown, share) => {
    const power = marginPower({ ...formOf('passed', 1), items, margin }, 0.1)
    // Three standard errors of 200 simulations.
    expect(Math.abs(power.shown - shown)).toBeLessThan(0.106)
    expect(Math.abs(power.share - share)).toBeLessThan(0.05)
  })

  test('refuses what cannot be', () => {
    expect(() => sequentialLooks({ ...formOf('passed', 1), alpha: 0.6 })).toThrow(invalid)
    expect(() => sequentialLooks({ ...formOf('passed', 1), margin: 1 })).toThrow(invalid)
    expect(() => sequentialLooks(formOf('passed', 1)).take(1.5)).toThrow(invalid)
    expect(() => sequentialPower({ items: 1.5, better: 0.1, worse: 0.1 })).toThrow(invalid)
    expect(() => sequentialPower({ items: 10, better: 0.7, worse: 0.7 })).toThrow(invalid)
    expect(() => notWorse({ better: -1, worse: 0, same: 0, margin: 0.1 })).toThrow(invalid)
    expect(() => thresholdEvidence({ passed: 3, items: 2, planned: 10, threshold: 0.8 })).toThrow(invalid)
    expect(() => thresholdEvidence({ passed: 3, items: 12, planned: 10, threshold: 0.8 })).toThrow(invalid)
    expect(() => thresholdEvidence({ passed: 3, items: 4, planned: 10, threshold: 0 })).toThrow(invalid)
    expect(() => estimateRate({ strata: [{ trials: 3, labelled: 4, passed: 1 }] })).toThrow(invalid)
    expect(() => estimateRate({ strata: [] })).toThrow(invalid)
  })
})

describe('a run against a threshold', () => {
  const [planned, threshold, need] = [100, 0.8, 80]
  const line = Math.log(20)
  const isSettled = (evidence: unknown, items: number) =>
    evidence === 'certain' || (items >= 10 && typeof evidence === 'number' && evidence >= line)

  test('decides otherwise than all items in at most 5 % of orders, whatever the number that passes: exactly', () => {
    // What a look says after so many items, of which so many passed.
    const said = Array.from({ length: planned + 1 }, (_, items) =>
      Array.from({ length: items + 1 }, (_, passed) => {
        const { met, missed } = thresholdEvidence({ passed, items, planned, threshold })
        return isSettled(met, items) ? 'met' : isSettled(missed, items) ? 'missed' : null
      }),
    )
    for (let all = 0; all <= planned; all += 1) {
      const truth = all >= need ? 'met' : 'missed'
      let [chances, wrong] = [[1], 0]
      for (let items = 1; items <= planned; items += 1) {
        const next = Array.from({ length: items + 1 }, () => 0)
        for (const [passed, chance] of chances.entries()) {
          const share = (all - passed) / (planned - items + 1)
          next[passed + 1] = (next[passed + 1] ?? 0) + chance * share
          next[passed] = (next[passed] ?? 0) + chance * (1 - share)
        }
        for (const [passed, chance] of next.entries()) {
          const verdict = said[items]?.[passed] ?? null
          if (verdict === null) continue
          if (verdict !== truth) wrong += chance
          next[passed] = 0
        }
        chances = next
      }
      expect(wrong, `${all} of ${planned}`).toBeLessThanOrEqual(0.05)
    }
  })

  test('the full run decides itself, with repetitions too', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1 / 3, 2 / 3, 1), { minLength: 12, maxLength: 40 }), (shares) => {
        const looks = thresholdLooks({ planned: shares.length, threshold: 0.6, repetitions: 3 })
        for (const share of shares) looks.take(share)
        const { why, stop } = looks.now
        expect(why).not.toBeNull()
        const passed = shares.reduce((sum, share) => sum + share, 0)
        if (stop === shares.length) expect(why).toBe(passed >= 0.6 * shares.length - 1e-9 ? 'met' : 'missed')
      }),
    )
  })
})
