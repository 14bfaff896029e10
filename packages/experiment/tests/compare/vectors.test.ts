import { readFileSync } from 'node:fs'
import { type CompareOptions, compare, detectRegressions } from '@jurist/experiment/compare'
import type { ExperimentResult } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { expectClose } from '../statistics/expect-close.js'

interface Trial {
  readonly item: string
  readonly rep: number
  readonly passed: boolean | null
  readonly scores: Readonly<Record<string, number>>
}

interface Case {
  readonly id: string
  readonly kind: string
  readonly baseline: readonly Trial[]
  readonly candidate: readonly Trial[]
  readonly options: CompareOptions & { readonly thresholds?: Readonly<Record<string, number>> }
  readonly expected: { readonly regressions?: readonly string[] } & Readonly<Record<string, unknown>>
}

const file = new URL('../../vectors/comparisons.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly tolerance: number
  readonly cases: readonly Case[]
}

function runOf(trials: readonly Trial[]): ExperimentResult {
  return aResult({
    items: trials.map(({ item, rep, passed, scores }) => {
      const judged = passed === null ? 'abstain' : passed ? 'pass' : 'fail'
      return anItem({ itemId: item, repetition: rep, passed, judged, scores })
    }),
  })
}

describe('the cases of comparisons.json', () => {
  const cases = vectors.cases.filter(({ kind }) => kind === 'compare')

  test.each(cases)('$id', ({ baseline, candidate, options: { thresholds, ...options }, expected }) => {
    // The vectors call the conclusion by its first name.
    const { regressions, verdict: conclusion, ...rest } = expected
    const comparison = compare(runOf(baseline), runOf(candidate), options)
    expectClose(comparison, { conclusion, ...rest }, vectors.tolerance)
    if (thresholds !== undefined)
      expect(detectRegressions(comparison, thresholds).map(({ itemId }) => itemId)).toEqual(regressions)
  })

  test('none is left out', () => {
    expect(cases).toHaveLength(15)
  })
})
