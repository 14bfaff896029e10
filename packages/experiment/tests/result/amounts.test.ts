import { average, pass } from '@jurist/core'
import {
  grouped,
  judgmentScore,
  namedInterval,
  passAtKText,
  passHatKText,
  points,
  pValue,
  rateInterval,
  signed,
  three,
} from '@jurist/experiment/internal/results'
import { dollars, duration, pEquals, percent, score } from '@jurist/experiment/result'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe('amounts', () => {
  test('what is not known', () => {
    for (const show of [grouped, percent, dollars, duration, score, three, pValue, points])
      expect([show(null), show(undefined)]).toEqual(['–', '–'])
    expect([percent(null, '-'), dollars(null, '-')]).toEqual(['-', '-'])
  })

  test('whole numbers', () =>
    expect([1_204_331, 999, 0, -0.2].map((n) => grouped(n))).toEqual(['1,204,331', '999', '0', '0']))

  test('rates: only all is 100 %, and only nothing is 0 %', () => {
    expect([8 / 11, 1, 0, 0.9999, 0.0001].map((rate) => percent(rate))).toEqual([
      ...['72.7 %', '100.0 %', '0.0 %', '> 99.9 %', '< 0.1 %'],
    ])
    expect(rateInterval({ low: 0.21, high: 1 })).toBe('21.0 to 100.0 %')
    expect(rateInterval({ low: 0.99996, high: 1 })).toBe('99.9 to 100.0 %')
    expect(rateInterval({ low: 0, high: 0.00004 })).toBe('0.0 to 0.1 %')
    expect([rateInterval({ low: 1, high: 1 }), rateInterval({ low: 0, high: 0 })]).toEqual([
      ...['100.0 to 100.0 %', '0.0 to 0.0 %'],
    ])
  })

  test('intervals name their method', () => {
    const interval = { low: 0.883, high: 0.992, level: 0.95 }
    expect(namedInterval({ ...interval, method: 'wilson' })).toBe('95 %: 88.3 to 99.2 %, Wilson')
    expect(namedInterval({ ...interval, method: 'clustered-t' })).toBe('95 %: 88.3 to 99.2 %, clustered by item')
    expect(namedInterval({ ...interval, method: 'constructor' })).toContain('constructor')
  })

  test('dollars', () => {
    expect([1234.5, 0, 0.15, 0.0995, 0.07, 0.0123, 0.001, 0.0000004, -2.5].map((usd) => dollars(usd))).toEqual([
      ...['$1,234.50', '$0.00', '$0.15', '$0.10', '$0.07', '$0.012', '$0.001', '$0.0000004', '-$2.50'],
    ])
  })

  test('lengths of time', () => {
    expect([0, 820, 999.7, 14_200, 59_970, 130_000, 3_900_000, 7_265_000, -5_600].map((ms) => duration(ms))).toEqual([
      ...['0 ms', '820 ms', '1.0 s', '14.2 s', '1m 00s', '2m 10s', '1h 05m', '2h 01m', '-5.6 s'],
    ])
  })

  test('scores', () => {
    expect([2 / 3, 1, 0, 0.495, 0.996, 0.99996, 0.004].map((value) => score(value))).toEqual([
      ...['0.67', '1.00', '0.00', '0.50', '0.996', '0.99996', '0.004'],
    ])
  })

  test('a score that is not whole never reads as if it were, and none is long', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(score(value)) === 1).toBe(value === 1)
        expect(Number(score(value)) === 0).toBe(value === 0)
        if (value > 0.000_01 && value < 0.999_99) expect(score(value).length).toBeLessThanOrEqual(8)
      }),
    )
  })

  test('p is never 0', () => {
    expect([0.0421, 5e-25, 0.001, 1].map((p) => pEquals(p))).toEqual([
      'p = 0.042',
      'p < 0.001',
      'p = 0.001',
      'p = 1.000',
    ])
    expect([pValue(0), pValue(0.5)]).toEqual(['< 0.001', '0.500'])
  })

  test('differences: what rounds to nothing has no sign', () => {
    expect([0.12, -0.12, -0.001, 0.001, -0].map((delta) => signed(delta))).toEqual([
      '+0.12',
      '-0.12',
      '0.00',
      '0.00',
      '0.00',
    ])
    expect([-0.241, 0.0002, -0.0004].map((delta) => points(delta))).toEqual(['-24.1', '0.0', '0.0'])
    expect([signed(-0.02, dollars), signed(5_600, duration), signed(-0.2, duration)]).toEqual([
      '-$0.02',
      '+5.6 s',
      '0 ms',
    ])
  })

  test('pass@k says how many items it rests on', () => {
    const row = (k: number, items: number) => ({ k, items, passAtK: 0.96, passHatK: 0.5 })
    expect(passAtKText([row(1, 24), row(4, 24), row(5, 22)])).toBe(
      'k=1 0.96 (24 items)  k=4 0.96 (24 items)  k=5 0.96 (22 items)',
    )
    expect(passHatKText([row(1, 12), row(2, 12)])).toBe('k=1 0.50  k=2 0.50 (12 items)')
    expect(passAtKText([])).toBe('')
  })
})

test('the score of a judgment is rounded as its reasoning rounds it', () => {
  const by = (threshold: number, value: number) =>
    average({ threshold })([{ name: 'a', judgment: pass('a', { score: value }), weight: 1 }])
  const cases: readonly (readonly [number, number, string])[] = [
    [0.6, 0.495, '0.50'],
    [0.6, 0.599, '0.599'],
    [0.6, 0.6, '0.60'],
    [0.5, 2 / 3, '0.67'],
  ]
  for (const [threshold, value, text] of cases) {
    const judgment = by(threshold, value)
    expect(judgmentScore(value, judgment)).toBe(text)
    expect(judgment.reasoning).toContain(`average ${Number(text)} of 1`)
  }
  expect(judgmentScore(0.599, pass('a', { score: 0.599 }))).toBe('0.60')
})
