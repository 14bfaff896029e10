import {
  average,
  boolean,
  categorical,
  effectiveScore,
  JuristError,
  meets,
  normalize,
  numerical,
  pass,
  scored,
} from '@jurist/core'
import { besideThreshold, decimalsBeside } from '@jurist/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Case, VectorJudgment, VectorScore } from './vectors.js'
import { casesOf, judgmentOf, scoreOf } from './vectors.js'

/** The operations of the file that belong to the root door; the others are those of the models. */
const operations: Record<string, (one: Case) => { value: number | null; status?: string }> = {
  normalize: ({ score }) => ({ value: normalize(scoreOf(score as VectorScore)) ?? null }),
  effectiveScore: ({ judgment }) => ({ value: effectiveScore(judgmentOf(judgment as VectorJudgment)) ?? null }),
  scored: ({ score, passingAt }) => {
    const judgment = scored(scoreOf(score as VectorScore), { passingAt: passingAt as number })
    return { status: judgment.status, value: normalize(judgment.score) ?? null }
  },
}

describe('the score vectors', () => {
  const cases = casesOf('scores').filter(({ op }) => (op as string) in operations)
  test('are all there', () => expect(cases).toHaveLength(17))
  test.each(cases)('$id: $why', (one) => {
    const { error, value, status } = one.expected as { error?: string; value?: number | null; status?: string }
    const run = () => operations[one.op as string]?.(one)
    if (error !== undefined) return expect(run).toThrow(expect.objectContaining({ code: error }))
    const found = run()
    if (status !== undefined) expect(found?.status).toBe(status)
    if (value === null || value === undefined) expect(found?.value ?? null).toBe(value ?? found?.value ?? null)
    else expect(found?.value).toBeCloseTo(value, 9)
  })
})

describe('scores', () => {
  test('a range may name one end only', () => {
    expect(numerical(-2, { min: -5 })).toEqual({ type: 'numerical', value: -2, min: -5, max: 1 })
    expect(normalize(numerical(0))).toBe(0)
  })
  test('minus zero becomes zero', () => {
    expect(Object.is(numerical(-0).value, 0)).toBe(true)
    expect(categorical('a', ['a'], { scale: { a: -0 } }).scale).toStrictEqual({ a: 0 })
  })
  test('bad scores are refused', () => {
    const bad = [
      () => numerical(Number.POSITIVE_INFINITY),
      () => numerical(1, { min: 2 }),
      () => boolean('yes' as unknown as boolean),
      () => categorical('a', []),
      () => categorical('a', ['a', 'a']),
      () => categorical('a', ['a', ' ']),
      () => categorical('a', ['a'], { scale: { b: 1 } }),
      () => categorical('a', ['a'], { scale: { a: 1.5 } }),
      () => categorical('a', ['a'], { scale: { a: Number.NaN } }),
      () => categorical('a', ['a'], { scale: { a: null } as never }),
      () => categorical('a', ['a'], { scale: { a: '0.5' } as never }),
      () => categorical('a', ['a'], { scale: { a: true } as never }),
      // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
      () => categorical('a', ['a', , 'b'] as never),
    ]
    for (const make of bad) expect(make).toThrow(expect.objectContaining({ code: 'score-invalid' }))
  })
  test('an unknown option is named', () => {
    expect(() => numerical(1, { maximum: 3 } as never)).toThrow(/"maximum"/)
  })
  test('a label like an inherited property has no number of its own', () => {
    expect(normalize(categorical('constructor', ['constructor'], { scale: {} }))).toBeUndefined()
  })
  test('a huge range does not overflow', () => {
    const widest = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE }
    expect(normalize(numerical(Number.MAX_VALUE, widest))).toBe(1)
    expect(normalize(numerical(0, widest))).toBe(0.5)
  })
  test('thresholds forgive binary fractions', () => expect(meets((0.6 + 0.7 + 0.2) / 3, 0.5)).toBe(true))
})

describe('laws of scores', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
  test('normalising stays within [0, 1] and is monotone', () => {
    fc.assert(
      fc.property(finite, finite, finite, finite, (...numbers) => {
        const [min = 0, a = 0, b = 0, max = 0] = [...numbers].sort((x, y) => x - y)
        const low = normalize(numerical(a, { min, max })) ?? Number.NaN
        const high = normalize(numerical(b, { min, max })) ?? Number.NaN
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(1)
        expect(low).toBeLessThanOrEqual(high)
      }),
    )
  })
  test('a value outside its range never becomes a score', () => {
    fc.assert(
      fc.property(finite, finite, finite, (value, min, max) => {
        fc.pre(min > max || value < min || value > max)
        expect(() => numerical(value, { min, max })).toThrow(JuristError)
      }),
    )
  })
})

describe('a score beside its threshold', () => {
  test.each([
    [0.495, 0.6, '0.5', '0.6'],
    [0.599, 0.6, '0.599', '0.6'],
    [0.5999, 0.6, '0.5999', '0.6'],
    [0.6, 0.6, '0.6', '0.6'],
    [2 / 3, 0.5, '0.67', '0.5'],
    [0.661, 0.665, '0.66', '0.67'],
    [0.664, 0.6649, '0.664', '0.665'],
    [0.6649, 0.665, '0.66', '0.67'],
    [0.996, 0.9, '0.996', '0.9'],
    [0.001, 0.5, '0.001', '0.5'],
    // What binary fractions make of 0.5 is 0.5.
    [(0.6 + 0.7 + 0.2) / 3, 0.5, '0.5', '0.5'],
  ])('%d, threshold %d', (value, threshold, shown, bar) => {
    expect(besideThreshold(value, threshold)).toEqual([shown, bar])
  })
  test('says what was decided, whatever the numbers', () => {
    const near = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1e-2, 1e-3, 1e-5, 1e-8))
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), near, (threshold, [other, width]) => {
        const value = width === 0 ? other : Math.min(1, Math.max(0, threshold + (other - 0.5) * width))
        fc.pre(Math.abs(Math.abs(value - threshold) - 1e-9) > 1e-10)
        const [shown, bar] = besideThreshold(value, threshold).map(Number) as [number, number]
        expect(shown >= bar).toBe(meets(value, threshold))
        expect(decimalsBeside(value, threshold)).toBeLessThanOrEqual(12)
      }),
    )
  })
  test('is how votes and scored say it', () => {
    const ballots = [{ name: 'a', judgment: pass('a', { score: 0.599 }), weight: 1 }]
    expect(average({ threshold: 0.6 })(ballots)).toMatchObject({
      status: 'fail',
      reasoning: 'average 0.599 of 1, threshold 0.6',
    })
    expect(scored(0.599, { passingAt: 0.6 }).reasoning).toBe('scored 0.599, 0.6 needed')
  })
})
