import { readFileSync } from 'node:fs'
import * as calibrate from '@jurist/experiment/calibrate'
import * as comparing from '@jurist/experiment/compare'
import * as results from '@jurist/experiment/internal/results'
import { describe, expect, test } from 'vitest'
import * as confusion from '../../src/result/statistics/confusion.js'
import * as correlation from '../../src/result/statistics/correlation.js'
import * as votes from '../../src/result/statistics/effective-votes.js'
import * as intervals from '../../src/result/statistics/rate-intervals.js'
import { expectClose } from './expect-close.js'

interface Case {
  readonly id: string
  readonly statistic: string
  readonly input: Readonly<Record<string, unknown>>
  readonly expected: unknown
  readonly tolerance?: number
}

const file = new URL('../../vectors/statistics.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly tolerance: number
  readonly cases: readonly Case[]
}

/** The names of the arguments that stand alone; what is left is the options. `*`: the whole input. */
const positions: { readonly [statistic: string]: readonly string[] } = {
  wilsonInterval: ['k', 'n', 'level'],
  clopperPearsonUpper: ['k', 'n', 'delta'],
  cohenKappa: ['matrix'],
  fleissKappa: ['table'],
  krippendorffAlpha: ['ratings', 'level'],
  gwetAC1: ['matrix'],
  matthewsCorrelation: ['matrix'],
  perClassScores: ['*'],
  passAtK: ['n', 'c', 'k'],
  passHatK: ['n', 'c', 'k'],
  mcnemarExact: ['worse', 'better'],
  standardError: ['values'],
  clusteredStandardError: ['values', 'clusters'],
  bootstrapInterval: ['values'],
  altTest: ['*'],
  effectiveVotes: ['errors'],
  spearman: ['a', 'b'],
  kendallTauB: ['a', 'b'],
  correctedPassRate: ['observed', 'sensitivity', 'specificity'],
}

const functions: { readonly [name: string]: unknown } = {
  ...calibrate,
  ...comparing,
  ...results,
  ...confusion,
  ...correlation,
  ...votes,
  ...intervals,
}

function compute({ statistic, input }: Case): unknown {
  const names = positions[statistic] ?? []
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
  const values = names.includes('*') ? [input] : [...names.map((name) => input[name]), rest]
  return (functions[statistic] as (...values: readonly unknown[]) => unknown)(...values)
}

describe('the cases of statistics.json', () => {
  // The transition model is a part of the journal.
  const cases = vectors.cases.filter(({ statistic }) => statistic !== 'transitionModel')

  test.each(cases)('$id', (given) => {
    const error = (given.expected as { readonly error?: string } | null)?.error
    if (error === undefined) expectClose(compute(given), given.expected, given.tolerance ?? vectors.tolerance)
    else expect(() => compute(given)).toThrow(expect.objectContaining({ code: error }))
  })

  test('none is left out', () => {
    expect(cases).toHaveLength(70)
    expect(new Set(cases.map(({ statistic }) => statistic))).toEqual(new Set(Object.keys(positions)))
  })
})
