import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { differenceSequence, notWorse } from '../../src/result/statistics/bets.js'
import { changePoint } from '../../src/result/statistics/change-point.js'
import { thresholdEvidence } from '../../src/result/statistics/finite-rate.js'
import { differenceOfRates, estimateRate, nextStrata } from '../../src/result/statistics/labelled-rate.js'
import {
  type EvidenceForm,
  firstLook,
  pairEvidence,
  sequentialLooks,
  sequentialPower,
} from '../../src/result/statistics/sequential.js'
import { expectClose } from './expect-close.js'

// biome-ignore lint/suspicious/noExplicitAny: each statistic has an input of its own
type Compute = (input: any) => unknown

function planned(differences: readonly (number | null)[], alpha: number, form: EvidenceForm) {
  const looks = sequentialLooks({ ...form, alpha })
  differences.forEach(looks.take)
  const { stop, why, pairs, better, worse, sum, squares, evidence, crossed, p } = looks.ended()
  const found = p > alpha ? 'no-difference-detected' : sum > 0 ? 'improved' : 'regressed'
  return {
    stop,
    why: why ?? (pairs < firstLook ? 'insufficient-data' : found),
    ...{ better, worse, sum, squares, crossed, p, logarithm: evidence },
  }
}

const statistics: { readonly [name: string]: Compute } = {
  pairEvidence: ({ better, worse }) => ({ logarithm: pairEvidence(better, worse) }),
  plannedPairs: ({ outcomes, alpha }) => planned(outcomes, alpha, { rho: null, steps: 1 }),
  plannedDifferences: ({ differences, alpha, rho, steps }) => planned(differences, alpha, { rho, steps }),
  differenceSequence: ({ better = 0, worse = 0, same = 0, differences, level }) => {
    const counts = [
      [1, better],
      [-1, worse],
      [0, same],
    ] as const
    const made = counts.flatMap(([value, count]) => Array.from({ length: count }, () => value))
    return differenceSequence(differences ?? made, { level })
  },
  notWorse,
  thresholdEvidence,
  sequentialPower,
  estimateRate,
  estimateDifference: ({ baseline, candidate, pairs, ...options }) =>
    differenceOfRates(
      { strata: baseline, ...options },
      { strata: candidate, ...options },
      pairs.map(([a, b, c, d]: readonly number[]) => ({ baseline: [[a, b]], candidate: [[c, d]] })),
    ),
  changePoint: ({ commits, runnable, prepared, items }) => {
    const { next, ...found } = changePoint({
      commits: Array.from({ length: commits }, (_, commit) => ({
        runs: runnable?.[commit] ?? true,
        prepared: prepared.includes(commit),
        items: Object.fromEntries(
          items.map((counts: readonly (readonly [number, number])[], item: number) => {
            const [passed, decided] = counts[commit] ?? [0, 0]
            return [`${item}`, { passed, decided }]
          }),
        ),
      })),
    })
    return { ...found, next: { ...next, item: Number(next?.item) } }
  },
  nextLabels: ({ strata, count }) => ({ strata: nextStrata(strata, count) }),
}

describe.each([
  ['sequential', 54],
  ['estimate', 20],
  ['bisect', 7],
])('the cases of %s.json', (name, count) => {
  const { cases, tolerance } = JSON.parse(
    readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8'),
  ) as {
    readonly tolerance: number
    readonly cases: readonly {
      readonly id: string
      readonly statistic: string
      readonly input: unknown
      readonly expected: Readonly<Record<string, unknown>>
    }[]
  }

  test.each(cases)('$id', ({ statistic, input, expected: { e, p, pValue, ...expected } }) => {
    const actual = (statistics[statistic] as Compute)(input) as Record<string, number>
    expectClose(actual, expected, tolerance)
    // Evidence and p values are exact relative to their size.
    if (typeof e === 'number') expectClose(Math.exp(actual['logarithm'] ?? 0) / e, 1, tolerance)
    if (typeof p === 'number') expectClose((actual['p'] ?? 0) / p, 1, tolerance)
    if (typeof pValue === 'number') expectClose((actual['pValue'] ?? 0) / pValue, 1, tolerance)
  })

  test('none is left out', () => expect(cases).toHaveLength(count))
})
