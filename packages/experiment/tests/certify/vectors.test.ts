import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type JudgedItem, riskCurve } from '../../src/certify/risk-curve.js'
import { riskPValue, zeroErrorDecisions } from '../../src/result/statistics/fixed-sequence.js'
import { clopperPearsonUpper } from '../../src/result/statistics/rate-intervals.js'

interface Certified {
  readonly alpha: number
  readonly delta: number
  readonly threshold: number | null
  readonly decided: number
  readonly errors: number
  readonly upper: number | null
}

interface OneTier {
  readonly confidence: readonly number[]
  readonly error: readonly number[]
  readonly grid: readonly number[]
}

const file = new URL('../../vectors/certificates.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly zeroErrorItems: { readonly [alpha: string]: { readonly [delta: string]: number } }
  readonly pValues: readonly { readonly k: number; readonly n: number; readonly alpha: number; readonly p: number }[]
  readonly upperBounds: readonly {
    readonly k: number
    readonly n: number
    readonly delta: number
    readonly upper: number
  }[]
  readonly votes: OneTier & { readonly expected: readonly Certified[] }
  readonly stopsAtFirstFailure: OneTier & { readonly expected: Certified }
  readonly startsWhereItCanTell: OneTier & { readonly expected: Certified }
}

const digits = 9

describe('the vectors of certificates', () => {
  test.each(
    Object.entries(vectors.zeroErrorItems).flatMap(([alpha, byDelta]) =>
      Object.entries(byDelta).map(([delta, items]) => [Number(alpha), Number(delta), items] as const),
    ),
  )('with alpha %d and delta %d, %d decisions without an error certify', (alpha, delta, items) => {
    expect(zeroErrorDecisions(alpha, delta)).toBe(items)
  })

  test.each(vectors.pValues)('$k errors of $n at $alpha: p = $p', ({ k, n, alpha, p }) => {
    expect(riskPValue(k, n, alpha)).toBeCloseTo(p, digits)
  })

  test.each(vectors.upperBounds)('$k errors of $n: at most $upper', ({ k, n, delta, upper }) => {
    expect(clopperPearsonUpper(k, n, delta)).toBeCloseTo(upper, digits)
  })

  test.each([
    ...vectors.votes.expected.map((expected) => ({ name: 'votes', given: vectors.votes, expected })),
    ...(['stopsAtFirstFailure', 'startsWhereItCanTell'] as const).map((name) => {
      return { name, given: vectors[name], expected: vectors[name].expected }
    }),
  ])('$name: $expected.threshold at alpha $expected.alpha', ({ given, expected }) => {
    const { alpha, delta, threshold, decided, errors, upper } = expected
    const { certified } = riskCurve(itemsOf(given), 1, given.grid, { alpha, delta, risk: 'disagreement' })
    expect(certified?.threshold ?? null).toBe(threshold)
    if (certified === null) return
    expect(certified).toMatchObject({ decided, errors })
    expect(certified.upper).toBeCloseTo(upper ?? Number.NaN, digits)
  })
})

function itemsOf({ confidence, error }: OneTier): readonly JudgedItem[] {
  return confidence.map((one, index) => ({
    label: error[index] === 1 ? 'fail' : 'pass',
    answers: [{ decision: 'pass', confidence: one, costUsd: null }],
  }))
}
