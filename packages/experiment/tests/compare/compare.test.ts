import { consensus, fail, jury, pass } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { compare, detectRegressions, resolveBaseline } from '@jurist/experiment/compare'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pairTrials } from '../../src/compare/measures.js'
import { completed, runExperiment, runSession } from '../../src/index.js'
import { anExperiment, temporaryDirectory } from '../run-support.js'

function runOf(
  items: readonly Partial<ItemResult>[],
  conditions: ExperimentResult['conditions'] = {},
): ExperimentResult {
  return aResult({ items: items.map((item) => anItem(item)), conditions })
}

/** So many items, passed or not: `1` and `0`. */
function passes(bits: string): ExperimentResult {
  return runOf([...bits].map((bit, index) => ({ itemId: `item-${index}`, passed: bit === '1' })))
}

describe('the changes of items', () => {
  test('an item that was another task is undetermined, and in no number but the means of a side', () => {
    const before = runOf([{ itemId: 'a', itemHash: '1', passed: true, scores: { build: 1 }, costUsd: 1 }])
    const after = runOf([{ itemId: 'a', itemHash: '2', passed: false, scores: { build: 0 }, costUsd: 2 }])
    const { items, passRate, scores, costUsd, notes } = compare(before, after)
    expect(items[0]).toMatchObject({ status: 'undetermined', passDelta: null, flips: [], scoreDeltas: {}, pairs: 1 })
    expect([passRate, costUsd]).toEqual([null, null])
    expect(scores['build']).toEqual({
      ...{ items: 0, baselineMean: null, candidateMean: null, delta: null, standardError: null, interval: null },
      ...{ improvements: 0, regressions: 0, unchanged: 0 },
      overall: { baselineMean: 1, baselineItems: 1, candidateMean: 0, candidateItems: 1 },
    })
    expect(notes).toContain('1 item set another task in the two runs and cannot be compared: a.')
  })

  test('cost, tokens, duration and efficiency are shown, and never decide', () => {
    const before = runOf([
      { itemId: 'a', costUsd: 1, usage: { totalTokens: 100 }, durationMs: 10, efficiency: { composite: 0.9 } },
      { itemId: 'b', costUsd: null, usage: null, durationMs: 30, efficiency: null },
    ])
    const after = runOf([
      { itemId: 'a', costUsd: 3, usage: { totalTokens: 400 }, durationMs: 90, efficiency: { composite: 0.1 } },
      { itemId: 'b', costUsd: 5, usage: { totalTokens: 1 }, durationMs: 50, efficiency: { composite: 1 } },
    ])
    const comparison = compare(before, after)
    expect(comparison.counts).toMatchObject({ unchanged: 2 })
    expect(comparison.items[0]).toMatchObject({ costDeltaUsd: 2, tokensDelta: 300, durationDeltaMs: 80 })
    expect(comparison.items[1]).toMatchObject({ costDeltaUsd: null, tokensDelta: null, durationDeltaMs: 20 })
    expect(comparison.costUsd).toEqual({
      items: 1,
      baselineMean: 1,
      candidateMean: 3,
      delta: 2,
      standardError: null,
      interval: null,
    })
    expect(comparison.tokens).toMatchObject({ items: 1, delta: 300 })
    expect(comparison.durationMs).toMatchObject({ items: 2, baselineMean: 20, candidateMean: 70, delta: 50 })
    expect(comparison.efficiency).toMatchObject({ composite: { items: 1, delta: expect.closeTo(-0.8, 12) } })
  })

  test('repetitions make an item more precise, not more heavily weighted', () => {
    const trial = (itemId: string, repetition: number, passed: boolean | null) => ({ itemId, repetition, passed })
    const before = runOf([trial('a', 1, true), trial('a', 2, true), trial('a', 3, null), trial('b', 1, false)])
    const after = runOf([trial('a', 1, true), trial('a', 2, false), trial('a', 3, true), trial('b', 1, true)])
    const { passRate, items } = compare(before, after)
    expect(passRate).toMatchObject({ items: 2, baselineMean: 0.5, candidateMean: 0.75, delta: 0.25 })
    expect(passRate?.test).toEqual({ method: 'sign-exact', worse: 1, better: 1, same: 0, pValue: 1 })
    expect(items[0]?.flips).toEqual([
      { repetition: 2, from: true, to: false },
      { repetition: 3, from: null, to: true },
    ])
  })

  test('the criteria of judges: checks, wherever the judge sits', async () => {
    const verdictOf = (passed: boolean) => {
      const checks = [
        { name: 'clear', passed, message: '', score: passed ? 0.9 : 0.4 },
        { name: 'short', passed: true, message: '' },
      ]
      const inner = jury({ judges: { rubric: () => (passed ? pass('yes', { checks }) : fail('no', { checks })) } })
      return jury({ judges: { inner, other: () => pass('yes') }, vote: consensus() }).vote(aContext())
    }
    const [good, bad] = [await verdictOf(true), await verdictOf(false)]
    const { checks } = compare(runOf([{ verdict: good }]), runOf([{ verdict: bad }]))
    expect(checks).toMatchObject({
      'inner/rubric > clear': { items: 1, delta: expect.closeTo(-0.5, 12), regressions: 1 },
      'inner/rubric > short': { items: 1, baselineMean: 1, delta: 0, unchanged: 1 },
    })
    expect(Object.keys(checks)).toHaveLength(2)
  })

  test('a run beside itself does not differ; the other way round everything is turned about', () => {
    const item = fc.record({
      itemId: fc.constantFrom('a', 'b', 'c', 'd'),
      repetition: fc.integer({ min: 1, max: 3 }),
      passed: fc.constantFrom(true, false, null),
      scores: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom(0, 0.25, 0.5, 1), { noNullPrototype: true }),
    })
    const runs = fc
      .uniqueArray(item, { selector: ({ itemId, repetition }) => `${itemId} ${repetition}`, maxLength: 8 })
      .map((items) => runOf(items))
    fc.assert(
      fc.property(runs, runs, (one, other) => {
        const same = compare(one, one, { resamples: 10 })
        expect(same.counts).toMatchObject({ improved: 0, regressed: 0, new: 0, removed: 0 })
        const [there, back] = [compare(one, other, { resamples: 10 }), compare(other, one, { resamples: 10 })]
        expect([there.counts.new, there.counts.removed]).toEqual([back.counts.removed, back.counts.new])
        expect(there.unpairedTrials).toBe(back.unpairedTrials)
        expect(there.passRate?.test.worse).toBe(back.passRate?.test.better)
        expect(there.passRate?.delta ?? 0).toBeCloseTo(-(back.passRate?.delta ?? 0), 12)
        expect(there.items.length).toBe(Object.values(there.counts).reduce((sum, count) => sum + count, 0))
        for (const [key, { delta }] of Object.entries(there.scores))
          expect(delta ?? 0).toBeCloseTo(-(back.scores[key]?.delta ?? 0), 12)
      }),
    )
  })
})

describe('the conclusion', () => {
  test('too little says how many more items are needed', () => {
    const comparison = compare(passes('0000'), passes('1111'))
    expect(comparison).toMatchObject({ conclusion: 'insufficient-data', moreItems: 6 })
    expect(comparison.notes).toContain('Too little to say: 4 items decided in both runs. 6 more items needed.')
  })

  test('nothing found says how many items would find as much', () => {
    // 20 items, 4 better, 1 worse: differing 0.25, difference 0.15; Connor's size is 84.6, so 85 in all.
    const comparison = compare(passes('00001'.padEnd(20, '1')), passes('11110'.padEnd(20, '1')))
    const size = ((1.959963985 * 0.5 + 0.841621234 * Math.sqrt(0.25 - 0.0225)) / 0.15) ** 2
    expect(comparison).toMatchObject({ conclusion: 'no-difference-detected', moreItems: Math.ceil(size) - 20 })
    const same = compare(passes('0'.repeat(12)), passes('0'.repeat(12)))
    expect(same).toMatchObject({ moreItems: null, notes: ['No item got better or worse.'] })
    const even = compare(passes('01'.repeat(6)), passes('10'.repeat(6)))
    expect(even).toMatchObject({ conclusion: 'no-difference-detected', moreItems: null })
    expect(even.notes[0]).toBe('As many items got better as got worse.')
  })

  test('a mean that rises does not hide what fell', () => {
    const comparison = compare(passes(`1${'0'.repeat(11)}`), passes(`0${'1'.repeat(11)}`))
    expect(comparison).toMatchObject({ conclusion: 'improved', moreItems: null })
    expect(comparison.notes).toContain('The pass rate did not fall, but 1 item got worse: item-0.')
    const score = (build: number, itemId: string) => ({ itemId, scores: { build } })
    const { notes } = compare(runOf([score(0, 'a'), score(1, 'b')]), runOf([score(1, 'a'), score(0.5, 'b')]))
    expect(notes).toContain('The mean of build rose, but it fell on 1 item.')
  })

  test('alpha, the level and the seed count; thousands of items need no bootstrap', () => {
    const [before, after] = [passes('000001111111'), passes('111111111111')]
    expect(compare(before, after).conclusion).toBe('no-difference-detected')
    expect(compare(before, after, { alpha: 0.1 }).conclusion).toBe('improved')
    const { passRate } = compare(before, after, { level: 0.5, seed: 7, resamples: 200 })
    expect(passRate?.interval).toMatchObject({ level: 0.5, method: 'bootstrap' })
    const many = Array.from({ length: 2_001 }, (_, index) => (index % 3 === 0 ? '1' : '0')).join('')
    const large = compare(passes(many), passes(many.replaceAll('0', '1')))
    expect(large.passRate?.interval?.method).toBe('normal')
    const asked = compare(passes(many), passes(many.replaceAll('0', '1')), { resamples: 300 })
    expect(asked.passRate?.interval?.method).toBe('bootstrap')
    expect(asked.passRate?.interval?.low).toBeCloseTo(large.passRate?.interval?.low ?? 0, 2)
  })

  test('one tolerance a score', () => {
    const before = runOf([{ itemId: 'a', scores: { build: 0.8, style: 0.8 } }])
    const after = runOf([{ itemId: 'a', scores: { build: 0.75, style: 0.75 } }])
    expect(compare(before, after, { tolerance: 0.1 }).counts.unchanged).toBe(1)
    const { scores, counts } = compare(before, after, { tolerance: { style: 0.1 } })
    expect([counts.regressed, scores['build']?.regressions, scores['style']?.regressions]).toEqual([1, 1, 0])
  })

  test.each([
    { alpha: 0 },
    { level: 1 },
    { resamples: 0 },
    { minimumPairs: 0 },
    { tolerance: -1 },
    { tolerance: { build: Number.NaN } },
    { unknown: 1 } as never,
  ])('refuses %o', (options) => {
    expect(() => compare(passes('1'), passes('1'), options)).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
})

describe('regressions', () => {
  const comparison = compare(
    runOf([
      { itemId: 'a', scores: { build: 0.8, style: 1 } },
      { itemId: 'b', scores: { build: 0.8 } },
      { itemId: 'c', passed: true },
    ]),
    runOf([
      { itemId: 'a', scores: { build: 0.7, style: 0.4 } },
      { itemId: 'b', scores: { build: 0.5 } },
      { itemId: 'c', passed: false },
    ]),
  )
  const idsFor = (thresholds: Readonly<Record<string, number>>) =>
    detectRegressions(comparison, thresholds).map(({ itemId }) => itemId)

  test('fall below the threshold of a listed score', () => {
    expect(idsFor({ build: 0 })).toEqual(['a', 'b'])
    expect(idsFor({ build: 0.1 })).toEqual(['b'])
    expect(idsFor({ build: 0.5, style: 0.5 })).toEqual(['a'])
    expect([idsFor({}), idsFor({ other: 0 })]).toEqual([[], []])
  })

  test('need thresholds that are numbers', () => {
    const refused = expect.objectContaining({ code: 'option-invalid' })
    expect(() => detectRegressions(comparison, { build: -1 })).toThrow(refused)
    expect(() => detectRegressions(comparison, null as never)).toThrow(refused)
  })
})

const trial = fc.record({ itemId: fc.constantFrom('a', 'b', 'c', 'd'), repetition: fc.integer({ min: 1, max: 3 }) })
/** Trials of which none occurs twice. */
const trials = fc.uniqueArray(trial, { selector: ({ itemId, repetition }) => `${itemId}${repetition}`, maxLength: 6 })
const namesOf = (some: readonly { readonly itemId: string; readonly repetition: number }[]) =>
  some.map(({ itemId, repetition }) => `${itemId}${repetition}`).sort()

test('trials are paired alike in whatever order they come', () => {
  fc.assert(
    fc.property(trials, trials, fc.boolean(), (before, after, isSame) => {
      const [baseline, candidate] = [before, isSame ? before : after].map((some) => some.map((one) => anItem(one)))
      const inOrder = (some = baseline) =>
        new Map(
          Array.from(pairTrials(some ?? [], candidate ?? []), (item) => [
            item.itemId,
            {
              before: namesOf(item.before),
              after: namesOf(item.after),
              pairs: namesOf(item.pairs.map(({ after }) => after)),
            },
          ]),
        )
      const expected = inOrder()
      expect(inOrder(baseline?.toReversed())).toEqual(expected)
      for (const [itemId, { before, after, pairs }] of expected) {
        expect(before).toEqual(namesOf((baseline ?? []).filter((one) => one.itemId === itemId)))
        expect(after).toEqual(namesOf((candidate ?? []).filter((one) => one.itemId === itemId)))
        expect(pairs).toEqual(after.filter((name) => before.includes(name)))
      }
      const ids = [...(baseline ?? []), ...(candidate ?? [])].map(({ itemId }) => itemId)
      expect([...expected.keys()].sort()).toEqual([...new Set(ids)].sort())
    }),
  )
})

describe('runs that were made', () => {
  test('two variants: what they override may differ, and nothing else', async () => {
    const experiment = {
      ...anExperiment(3, { conditions: { turns: 1, place: 'here' } }),
      variants: {
        careful: { model: 'large', conditions: { turns: 5 } },
        hasty: { prompt: 'bad {{task}}' },
      },
    }
    const { results } = await runSession(experiment).result
    const { careful, hasty } = results
    if (careful === undefined || hasty === undefined) throw new Error('a variant did not run')
    const { differences, counts } = compare(careful, hasty)
    expect(differences.map(({ condition }) => condition)).toEqual(['model', 'prompt', 'turns'])
    expect(counts).toMatchObject({ regressed: 3 })
    const elsewhere = { ...hasty, conditions: { ...hasty.conditions, place: 'there' } }
    expect(() => compare(careful, elsewhere)).toThrow(/place is "here" and "there"/)
  })

  test('a run beside the one before it, read from files', async () => {
    const directory = temporaryDirectory()
    const first = await runExperiment(anExperiment(12, { store: directory })).result
    const agent = async ({ prompt }: { readonly prompt: string }) => completed(`bad ${prompt}`)
    const second = await runExperiment(anExperiment(12, { store: directory, agent })).result
    await using store = fileStore(directory)
    const [current, baseline] = [await store.load(second.id), await resolveBaseline(store, second)]
    if (current === undefined || baseline === undefined) throw new Error('a run was not stored')
    expect(baseline.id).toBe(first.id)
    const comparison = compare(baseline, current)
    expect(comparison).toMatchObject({
      conclusion: 'regressed',
      counts: { regressed: 12 },
      passRate: { baselineMean: 1, candidateMean: 0, test: { method: 'mcnemar-exact', worse: 12, better: 0 } },
      differences: [{ condition: 'agent', allowed: true }],
    })
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison)
  })
})
