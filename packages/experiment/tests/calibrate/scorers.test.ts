import { readFileSync } from 'node:fs'
import { abstain, categorical, error, fail, type Judgment, numerical, pass, type Score } from '@jurist/core'
import {
  exactCategoryMatch,
  exactVerdictMatch,
  type JudgeScorer,
  numericalTolerance,
} from '@jurist/experiment/calibrate'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectClose } from '../statistics/expect-close.js'
import { labelledItem } from './labelled.js'

interface Case {
  readonly id: string
  readonly kind: string
  readonly scorer: { readonly type: string; readonly tolerance: number; readonly [option: string]: unknown }
  readonly judgment: { readonly status: Judgment['status']; readonly score?: Score }
  readonly label: string | null
  readonly expected: unknown
}

const file = new URL('../../vectors/comparisons.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly tolerance: number
  readonly cases: readonly Case[]
}

function scorerOf({ type, tolerance, ...options }: Case['scorer']): JudgeScorer {
  if (type === 'exactVerdictMatch') return exactVerdictMatch()
  return type === 'exactCategoryMatch' ? exactCategoryMatch(options) : numericalTolerance(tolerance, options)
}

function judgmentOf({ status, score }: Case['judgment']): Judgment {
  const extras = score === undefined ? {} : { score }
  if (status === 'pass') return pass('passed', extras)
  if (status === 'fail') return fail('failed', extras)
  return status === 'abstain' ? abstain('nothing to say') : error('boom', new Error('boom'))
}

const score = (scorer: JudgeScorer, actual: Judgment, expectedLabel: string | null) =>
  scorer({ item: labelledItem('a', expectedLabel), actual, expectedLabel })

describe('the cases of comparisons.json', () => {
  const cases = vectors.cases.filter(({ kind }) => kind === 'scorer')

  test.each(cases)('$id', ({ scorer, judgment, label, expected }) => {
    expectClose(score(scorerOf(scorer), judgmentOf(judgment), label), expected, vectors.tolerance)
  })

  test('none is left out', () => {
    expect(cases).toHaveLength(18)
  })
})

describe('a verdict', () => {
  test.each([
    ['a missing label comes first', error('boom'), null, 'label-missing'],
    ['a blank label counts as missing', pass('yes'), '  ', 'label-missing'],
    ['a bad label comes before the candidate', error('boom'), 'maybe', 'label-invalid'],
    ['an error is not a fail', error('boom'), 'fail', 'candidate-error'],
    ['nor an abstention', error('boom'), 'abstain', 'candidate-error'],
    ['an abstention is not an error', abstain('nothing'), 'error', 'abstained'],
  ])('%s', (_, actual, label, why) => {
    expect(score(exactVerdictMatch(), actual, label)).toMatchObject({ scored: false, why })
  })

  test('a label that expects no decision is scored', () => {
    expect(score(exactVerdictMatch(), abstain('nothing'), 'ABSTAIN')).toMatchObject({ scored: true, match: true })
    expect(score(exactVerdictMatch(), pass('yes'), 'error')).toMatchObject({ match: false, predicted: 'pass' })
  })
})

describe('a category', () => {
  const high = pass('yes', { score: categorical('High', ['Low', 'High']) })

  test('aliases count on both sides, case ignored', () => {
    const scorer = exactCategoryMatch({ aliases: { Great: 'high', HIGH: 'top', ok: 'PASS' } })
    expect(score(scorer, high, ' top ')).toMatchObject({ match: true, expected: 'top', predicted: 'top' })
    expect(score(scorer, pass('yes'), 'OK')).toMatchObject({ match: true, expected: 'pass' })
    expect(score(scorer, high, 'great')).toMatchObject({ match: false, expected: 'high', predicted: 'top' })
  })

  test('an alias must stand for something', () => {
    const aliases = { a: ' ' }
    expect(() => exactCategoryMatch({ aliases })).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})

describe('a number', () => {
  test.each(['', '0x10', '1e999', 'NaN', '1,5', '0.5 of 1'])('%j is no label', (label) => {
    expect(score(numericalTolerance(1), pass('yes'), label)).toMatchObject({ scored: false })
  })

  test('says what it expected', () => {
    const { reasoning } = score(numericalTolerance(0.1), pass('yes'), 'good')
    expect(reasoning).toMatch(/^Expected numeric label/)
    expect(score(numericalTolerance(0.1), pass('yes'), '1.2')).toMatchObject({ why: 'label-invalid' })
  })

  test('the difference decides, and is symmetric on the range', () => {
    const number = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(number, number, number, fc.integer({ min: 1, max: 100 }), (value, label, tolerance, width) => {
        const scorer = numericalTolerance(tolerance, { labelRange: { min: 0, max: width } })
        const result = score(scorer, pass('yes', { score: numerical(value) }), String(label * width))
        const difference = Math.abs(value - label)
        expect(result.scored && result.score).toBeCloseTo(1 - difference, 9)
        if (Math.abs(difference - tolerance) > 1e-8) expect(result.scored && result.match).toBe(difference < tolerance)
      }),
    )
  })

  test.each([
    ['a tolerance above 1', () => numericalTolerance(1.1)],
    ['a tolerance that is not a number', () => numericalTolerance(Number.NaN)],
    ['a range upside down', () => numericalTolerance(0, { labelRange: { min: 1, max: 0 } })],
    ['half a range', () => numericalTolerance(0, { labelRange: { min: 1 } as never })],
    ['an unknown option', () => numericalTolerance(0, { range: 1 } as never)],
  ])('refuses %s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})
