import { readFileSync } from 'node:fs'
import { cascade, consensus, fail, jury, numerical, pass, scored } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { scoreMeans, scoreMeansText, sumUsage } from '@jurist/experiment/internal/results'
import { markdownReport } from '@jurist/experiment/report'
import { type ItemResult, passedOf, resultOf, scoresOf, summarize, tokensOf } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

type Case = { readonly id: string; readonly kind: string; readonly expected: unknown } & {
  readonly agent: ItemResult['agent']
  readonly judged: ItemResult['judged']
  readonly infrastructure: boolean
  readonly planned: number
  readonly trials: readonly { readonly item: string; readonly rep: number; readonly passed: boolean | null }[]
}

const vectors = JSON.parse(readFileSync(new URL('../../vectors/comparisons.json', import.meta.url), 'utf8')) as {
  readonly tolerance: number
  readonly cases: readonly Case[]
}

function trial(itemId: string, repetition: number, passed: boolean | null) {
  const judged = passed === null ? 'abstain' : passed ? 'pass' : 'fail'
  return anItem({ itemId, repetition, passed, judged })
}

/** The expected part with numbers that are only as exact as the vectors say. */
function near(expected: unknown): unknown {
  if (typeof expected === 'number') return Number.isInteger(expected) ? expected : expect.closeTo(expected, 9)
  if (Array.isArray(expected)) return expected.map(near)
  if (typeof expected !== 'object' || expected === null) return expected
  return expect.objectContaining(Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, near(value)])))
}

describe('the cases of comparisons.json', () => {
  const outcomes = vectors.cases.filter(({ kind }) => kind === 'outcome')
  test.each(outcomes)('$id', ({ agent, judged, infrastructure, expected }) => {
    expect(passedOf(agent, judged, infrastructure)).toBe(expected)
  })

  const summaries = vectors.cases.filter(({ kind }) => kind === 'summary')
  test.each(summaries)('$id', ({ planned, trials, expected }) => {
    expect(summarize({ planned, items: trials.map(({ item, rep, passed }) => trial(item, rep, passed)) })).toEqual(
      near(expected),
    )
  })

  test('none is left out', () => {
    expect([outcomes.length, summaries.length]).toEqual([7, 5])
  })
})

test.each([
  ['timeout', 'not-judged', false],
  ['error', 'not-judged', false],
  ['cancelled', 'not-judged', null],
  ['completed', 'error', null],
  ['timeout', 'fail', false],
] as const)('passedOf: %s, %s', (agent, judged, expected) => {
  expect(passedOf(agent, judged, false)).toBe(expected)
})

/** Wilson 1927: the rates whose distance from `rate` is `quantile` errors of `n` trials, by the quadratic formula. */
function scoreInterval(rate: number, n: number, quantile: number) {
  const [a, b, c] = [1 + quantile ** 2 / n, -(2 * rate + quantile ** 2 / n), rate ** 2]
  const root = Math.sqrt(b * b - 4 * a * c)
  return { low: expect.closeTo((-b - root) / (2 * a), 9), high: expect.closeTo((-b + root) / (2 * a), 9) }
}

describe('summarize', () => {
  test('adds up whatever happens', () => {
    const item = fc.record({
      itemId: fc.constantFrom('a', 'b', 'c'),
      repetition: fc.integer({ min: 1, max: 5 }),
      bucket: fc.constantFrom('', 'x', '__proto__'),
      agent: fc.constantFrom<ItemResult['agent'][]>('completed', 'timeout', 'error', 'setup-error', 'cancelled'),
      judged: fc.constantFrom<ItemResult['judged'][]>('pass', 'fail', 'abstain', 'error', 'not-judged'),
      passed: fc.constantFrom(true, false, null),
    })
    fc.assert(
      fc.property(fc.array(item), fc.nat(5), (items, missing) => {
        const { counts, byBucket, passRate, passRateInterval, passAtK } = summarize({
          items: items.map((given) => anItem(given)),
          planned: items.length + missing,
        })
        const sum = (record: Readonly<Record<string, number>>) => Object.values(record).reduce((a, b) => a + b, 0)
        expect(counts.planned).toBe(counts.run + counts.notRun)
        expect(counts.run).toBe(counts.passes + counts.fails + counts.undecided)
        expect([sum(counts.agent), sum(counts.judged)]).toEqual([counts.run, counts.run])
        expect(Object.values(byBucket).reduce((total, bucket) => total + bucket.counts.run, 0)).toBe(counts.run)
        expect(passRate === null).toBe(counts.decided === 0)
        if (passRate !== null && passRateInterval !== null) {
          expect(passRateInterval.low).toBeLessThanOrEqual(passRate + 1e-12)
          expect(passRateInterval.high).toBeGreaterThanOrEqual(passRate - 1e-12)
        }
        for (const row of passAtK) expect(row.passAtK).toBeGreaterThanOrEqual(row.passHatK - 1e-12)
      }),
    )
  })

  test('Wilson without repetitions, on effective trials with them, nothing below two items', () => {
    const once = summarize({ planned: 10, items: Array.from({ length: 10 }, (_, i) => trial(`${i}`, 1, i > 0)) })
    expect(once.passRateInterval).toMatchObject({ method: 'wilson', level: 0.95, low: expect.closeTo(0.59585, 5) })
    const twice = summarize({
      planned: 6,
      items: [
        ['a', true],
        ['a', false],
        ['b', true],
        ['b', true],
        ['c', false],
        ['c', false],
      ].map(([id, passed], i) => trial(String(id), (i % 2) + 1, Boolean(passed))),
    })
    // Clusters 1, 2, 0 of 2: residual sums 0, 1, -1; error √(2 · 3/2)/6; 3 effective trials; t(0.975, 2) = 4.30265.
    const few = scoreInterval(0.5, 3, 4.302652729696142)
    expect(twice.passRateInterval).toEqual({ ...few, level: 0.95, method: 'wilson-effective' })
    const many = summarize({
      planned: 40,
      items: Array.from({ length: 40 }, (_, i) => trial(`${i >> 1}`, (i & 1) + 1, i % 4 !== 3)),
    })
    // 20 items, every second one with a fail: residual sums ±1/2, error √(20/4 · 20/19)/40, t(0.975, 19) = 2.0930240544.
    const effective = 0.1875 / ((5 * 20) / 19 / 1600)
    expect(many.passRateInterval).toMatchObject(scoreInterval(0.75, effective, 2.0930240544082634))
    // Two items of which every trial passed are two items, however often they are tried.
    const alike = (passed: (repetition: number) => boolean) =>
      summarize({
        planned: 20,
        items: Array.from({ length: 20 }, (_, i) => trial(`${i % 2}`, (i >> 1) + 1, passed(i >> 1))),
      })
    expect(alike(() => true).passRateInterval).toEqual({
      low: expect.closeTo(0.34238, 5),
      high: 1,
      level: 0.95,
      method: 'wilson-by-item',
    })
    const fifth = alike((repetition) => repetition < 2).passRateInterval
    // Wilson's centre and half width for a rate of 0.2 of 2: (0.2 + z²/4)/(1 + z²/2) ± z√(0.08 + z²/16)/(1 + z²/2).
    const [z2, scale] = [1.959963984540054 ** 2, 1 + 1.959963984540054 ** 2 / 2]
    const half2 = Math.sqrt(z2 * (0.08 + z2 / 16)) / scale
    expect(fifth?.low).toBeCloseTo((0.2 + z2 / 4) / scale - half2, 9)
    expect(fifth?.high).toBeCloseTo((0.2 + z2 / 4) / scale + half2, 9)
    expect(summarize({ planned: 2, items: [trial('a', 1, true), trial('a', 2, false)] }).passRateInterval).toBeNull()
    expect(summarize({ planned: 1, items: [trial('a', 1, null)] }).passRateInterval).toBeNull()
  })

  test('pass@k skips items with too few trials', () => {
    const items = [1, 2, 3, 4, 5].map((rep) => trial('a', rep, rep === 1)).concat(trial('b', 1, true))
    expect(summarize({ planned: 6, items }).passAtK).toEqual([
      { k: 1, passAtK: expect.closeTo(0.6, 12), passHatK: expect.closeTo(0.6, 12), items: 2 },
      { k: 2, passAtK: expect.closeTo(0.4, 12), passHatK: 0, items: 1 },
      { k: 3, passAtK: expect.closeTo(0.6, 12), passHatK: 0, items: 1 },
      { k: 4, passAtK: expect.closeTo(0.8, 12), passHatK: 0, items: 1 },
      { k: 5, passAtK: 1, passHatK: 0, items: 1 },
    ])
  })

  test('scores: how many, how many are missing, and an error clustered by item', () => {
    const items = [
      anItem({ itemId: 'a', scores: { style: 0.2 } }),
      anItem({ itemId: 'a', repetition: 2, scores: { style: 0.4 } }),
      anItem({ itemId: 'b', scores: { style: 0.9, extra: 1 } }),
      anItem({ itemId: 'b', repetition: 2, scores: { style: 0.8 } }),
      anItem({ itemId: 'c', scores: { style: 0.5 } }),
      anItem({ itemId: 'c', repetition: 2, scores: { style: 0.1 } }),
      anItem({ itemId: 'd', judged: 'error', passed: null }),
      anItem({ itemId: 'e', judged: 'not-judged', agent: 'timeout', passed: false }),
    ]
    const { scores } = summarize({ items, planned: 8 })
    expect(scores['style']).toMatchObject({ n: 6, missing: 1, min: 0.1, max: 0.9 })
    expect(scores['style']?.mean).toBeCloseTo(2.9 / 6, 12)
    expect(scores['style']?.standardError).toBeCloseTo(0.18333333333333335, 9)
    expect(scores['extra']).toEqual({ n: 1, missing: 6, mean: 1, min: 1, max: 1, standardError: null })
  })

  test('sums what is known, and says how much is not', () => {
    const items = [
      anItem({ usage: { inputTokens: 3 }, costUsd: 0.5, agentMs: 10 }),
      anItem({ itemId: 'b', usage: { inputTokens: 4, outputTokens: 1 }, costUsd: 0, agentMs: 20, judgeCostUsd: 0.25 }),
      anItem({ itemId: 'c', agentMs: 60 }),
      anItem({ itemId: 'd', agent: 'setup-error', agentMs: 0 }),
    ]
    expect(summarize({ items, planned: 4 })).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 1 },
      judgeUsage: null,
      costUsd: 0.5,
      judgeCostUsd: 0.25,
      unpricedTrials: 2,
      agentMs: { total: 90, mean: 30, median: 20, p95: 56 },
    })
    expect(summarize({ items: [], planned: 0 })).toMatchObject({ costUsd: null, usage: null, agentMs: null })
  })

  test('infrastructure failures are counted beside the rest', () => {
    const failure = { name: 'Error', message: 'down', origin: 'agent', infrastructure: true } as const
    const items = [anItem({ agent: 'error', judged: 'not-judged', passed: null, failure }), anItem({ itemId: 'b' })]
    expect(summarize({ items, planned: 2 }).counts).toMatchObject({
      infrastructureFailures: 1,
      undecided: 1,
      passes: 1,
    })
  })
})

test('resultOf adds the summary to the record', () => {
  const { items, planned, ...record } = aResult()
  expect(resultOf({ ...record, items, planned })).toMatchObject({ ...record, ...summarize({ items, planned }) })
})

test('a copy of a result and its JSON have the figures, which are worked out once', () => {
  const result = resultOf(aResult())
  const summary = summarize(result)
  expect({ ...result }).toMatchObject(summary)
  expect(JSON.parse(JSON.stringify(result))).toMatchObject(JSON.parse(JSON.stringify(summary)))
  expect(structuredClone(result)).toMatchObject(summary)
  expect(result.counts).toBe(result.counts)
})

test('a copy with other items keeps the figures of the first until it is given its own', () => {
  const result = resultOf(aResult({ items: [anItem()], planned: 1 }))
  const emptied = { ...result, items: [] }
  expect(emptied.counts.run).toBe(1)
  expect(resultOf(emptied).counts.run).toBe(0)
})

describe('scoresOf', () => {
  test('keys are the places of the judges', async () => {
    const inner = jury({
      judges: { half: () => scored(numerical(0.5), { passingAt: 0.9 }), no: () => fail('no') },
      vote: consensus(),
    })
    const rules = jury({ judges: { 'a/b': () => pass('yes'), inner }, vote: consensus() })
    expect(scoresOf(await rules.vote(aContext()))).toEqual({ 'a~1b': 1, inner: 0, 'inner/half': 0.5, 'inner/no': 0 })
    const tiers = cascade([{ name: 'rules', jury: rules, policy: 'final' }])
    expect(Object.keys(scoresOf(await tiers.vote(aContext())))).toEqual([
      'rules',
      'rules/a~1b',
      'rules/inner',
      'rules/inner/half',
      'rules/inner/no',
    ])
  })

  test('what has no number has no key', async () => {
    const broken = jury({
      judges: {
        breaks: () => {
          throw new Error('broken')
        },
        fine: () => pass('yes'),
      },
    })
    expect(scoresOf(await broken.vote(aContext()))).toEqual({ fine: 1 })
  })
})

test('usage: sums are null when nothing is known; totals are never invented', () => {
  expect(sumUsage([null, undefined, {}])).toBeNull()
  expect(sumUsage([{ totalTokens: 3 }, { outputTokens: 2 }])).toEqual({ totalTokens: 3, outputTokens: 2 })
  expect([tokensOf(null), tokensOf({ inputTokens: 3 }), tokensOf({ inputTokens: 3, outputTokens: 1 })]).toEqual([
    null,
    null,
    4,
  ])
  expect(tokensOf({ totalTokens: 9, inputTokens: 3, outputTokens: 1 })).toBe(9)
})

const items = [0.25, 0.5, 0.75].map((style, index) =>
  anItem({ itemId: `i${index}`, scores: { style, builds: index % 2 } }),
)

test('means of scores have their standard error and three decimals; passes and fails are counted already', () => {
  const { scores } = summarize({ items, planned: 3 })
  // Standard deviation 0.25, over √3.
  expect(scoreMeans(scores)).toEqual([{ name: 'style', mean: '0.500', basis: '± 0.144, n = 3' }])
  expect(scoreMeansText(scores)).toBe('style 0.500 (± 0.144, n = 3)')
  expect(scoreMeansText(summarize({ items: items.slice(0, 1), planned: 1 }).scores)).toBe('style 0.250 (n = 1)')
  expect(markdownReport([aResult({ items, planned: 3 })])).toContain('style 0.500 (± 0.144, n = 3)')
})

test('pass^k for further k', () => {
  const trials = Array.from({ length: 12 }, (_, index) => anItem({ repetition: index + 1, passed: index > 0 }))
  const of = (passAt?: readonly number[]) => summarize({ items: trials, planned: 12, passAt }).passAtK
  expect(of().map(({ k }) => k)).toEqual([1, 2, 3, 4, 5, 8, 12])
  expect(of([7, 99]).map(({ k }) => k)).toEqual([1, 2, 3, 4, 5, 7, 8, 12])
  expect(of([7])[5]?.passHatK).toBeCloseTo(5 / 12, 12)
  expect(() => of([0])).toThrow(expect.objectContaining({ code: 'statistic-invalid' }))
})
