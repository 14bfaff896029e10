import { compare } from '@jurist/experiment/compare'
import { memoryStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { gateOf, weaknessOf } from '../../src/command-kit/regression-gate.js'
import { resultsOver } from '../../src/command-kit/results-store.js'
import { againstBaselines } from '../../src/commands/run/run-baseline.js'
import { project } from '../project.js'

/** Items with so many trials each: `1` passed, `0` did not, `?` is undecided; a score each. */
function runOf(items: readonly string[], score = 1) {
  return aResult({
    items: items.flatMap((trials, index) =>
      [...trials].map((trial, at) =>
        anItem({
          itemId: `item-${index}`,
          repetition: at + 1,
          passed: trial === '?' ? null : trial === '1',
          scores: { clarity: score },
        }),
      ),
    ),
  })
}

const compared = (before: readonly string[], after: readonly string[]) => compare(runOf(before), runOf(after))

describe('the gate of a comparison', () => {
  // Two sessions of one stochastic agent: 6 items pass less often, 12 more often, 6 as often.
  const before = [...Array(6).fill('11010'), ...Array(12).fill('01100'), ...Array(6).fill('10101')]
  const after = [...Array(6).fill('01010'), ...Array(12).fill('01101'), ...Array(6).fill('01011')]

  test('two sessions of an agent that does not answer the same each time pass the default', () => {
    const comparison = compared(before, after)
    expect(comparison.changes).toMatchObject({ improved: 12, regressed: 6, unchanged: 6 })
    expect(gateOf(comparison, 'significant')).toEqual([])
    expect(gateOf(comparison, 'regression')).toEqual(['6 items regressed (--fail-on regression)'])
  })

  test('a loss beyond chance does not, and says how large it is', () => {
    const comparison = compared(Array(12).fill('1'), Array(12).fill('0'))
    expect(gateOf(comparison, 'significant')).toEqual([
      'the candidate is significantly worse: 12 items regressed, 0 improved, p < 0.001 (--fail-on significant)',
    ])
  })

  test('the exact test decides, whatever a report wants before it says something', () => {
    const six = compared(Array(6).fill('1'), Array(6).fill('0'))
    expect(six.conclusion).toBe('insufficient-data')
    expect(gateOf(six, 'significant')).toEqual([expect.stringContaining('6 items regressed, 0 improved, p = 0.031')])
    expect(gateOf(compared(Array(5).fill('1'), Array(5).fill('0')), 'significant')).toEqual([])
  })

  test.each<[what: string, before: readonly string[], alpha: number | undefined, said: string | undefined]>([
    [
      'three items',
      Array(3).fill('1'),
      undefined,
      '3 items can be compared, and this gate cannot fail with fewer than 6 items; use --fail-on regression',
    ],
    [
      'five items with repetitions',
      Array(5).fill('110'),
      undefined,
      '5 items can be compared, and this gate cannot fail with fewer than 6 items; use --fail-on regression',
    ],
    ['as many as it takes', Array(6).fill('1'), undefined, undefined],
    [
      'a stricter level',
      Array(6).fill('1'),
      0.01,
      '6 items can be compared, and this gate cannot fail with fewer than 8 items; use --fail-on regression',
    ],
    [
      'items that had failed cannot get worse',
      [...Array(3).fill('1'), ...Array(9).fill('0')],
      undefined,
      '3 items that passed before can be compared, and this gate cannot fail with fewer than 6 items; use --fail-on regression',
    ],
  ])('%s: whether it can fail at all', (_, before, alpha, said) => {
    const [baseline, candidate] = [runOf(before), runOf(before.map((trials) => '1'.repeat(trials.length)))]
    expect(weaknessOf(compare(baseline, candidate), baseline, 'significant', alpha)).toBe(said)
    expect(weaknessOf(compare(baseline, candidate), baseline, 'regression', alpha)).toBeUndefined()
    // All worse that can be: the test agrees.
    const worst = compare(baseline, runOf(before.map((trials) => '0'.repeat(trials.length))))
    expect(gateOf(worst, 'significant', alpha).length > 0).toBe(said === undefined)
  })

  test('scores that moved are no regression', () => {
    const comparison = compare(runOf(Array(12).fill('1'), 1), runOf(Array(12).fill('1'), 0.6))
    expect(comparison.changes).toMatchObject({ 'scores-moved': 12, regressed: 0 })
    expect([gateOf(comparison, 'significant'), gateOf(comparison, 'regression')]).toEqual([[], []])
  })

  test('items that are no longer decided count as worse: no gate opens because a judge broke', () => {
    const lost = compared(Array(12).fill('1'), ['1', ...Array(11).fill('?')])
    expect(gateOf(lost, 'significant')).toEqual([
      expect.stringMatching(
        /^11 items passed before and ended undecided now: .* p < 0\.001 \(--fail-on significant\)$/,
      ),
    ])
    const noise = compared(Array(12).fill('1'), ['?', ...Array(11).fill('1')])
    expect(gateOf(noise, 'significant')).toEqual([])
    expect(gateOf(noise, 'regression')).toHaveLength(1)
    const found = compared(['1?', '?1', '11'], ['?1', '1?', '11'])
    expect(gateOf(found, 'significant')).toEqual([])
  })
})

test('several variants are read together: one that looks worse by chance does not fail a session', async () => {
  const store = memoryStore()
  const control = runOf(Array(12).fill('1'))
  await store.save(control)
  const variant = (name: string, trials: readonly string[]) => ({
    ...runOf(trials),
    variant: name,
    baseline: control.id,
  })
  const unlucky = variant('unlucky', [...Array(6).fill('0'), ...Array(6).fill('1')])
  const steady = [variant('one', Array(12).fill('1')), variant('other', Array(12).fill('1'))]
  const missesOf = async (runs: Parameters<typeof againstBaselines>[1]) => {
    const found = await againstBaselines(resultsOver(store, 'memory'), runs, 'significant')
    return [...found.values()].flatMap(({ misses }) => misses)
  }
  expect(await missesOf([unlucky])).toHaveLength(1)
  expect(await missesOf([unlucky, ...steady])).toEqual([])
  const broken = variant('broken', Array(12).fill('0'))
  expect(await missesOf([broken, ...steady])).toEqual([
    'the candidate is significantly worse: 12 items regressed, 0 improved, p < 0.001, 0.001 by Holm over 3 (--fail-on significant)',
  ])
})

test('with repetitions the gate says how far the pass rate fell', () => {
  expect(gateOf(compared(Array(12).fill('111'), Array(12).fill('011')), 'significant')).toEqual([
    'the candidate is significantly worse: 12 items regressed, 0 improved, pass rate -33.3 points, p < 0.001 (--fail-on significant)',
  ])
})

test('a run under way has trials that did not run, which do not count as undecided', async () => {
  using made = project()
  const store = await made.results.store()
  const items = [anItem({ itemId: 'a' }), anItem({ itemId: 'b', passed: null, judged: 'abstain' })]
  await store.save(aResult({ items, planned: 145, status: 'stopped', stopReason: 'budget' }))
  const { stdout } = await made.jurist('list')
  const [head = '', row = ''] = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
  expect(head.slice(-5)).toEqual(['UNDECIDED', 'NOT RUN', 'AGENTS', 'JUDGES', 'TIME'])
  expect(row.slice(-5, -3)).toEqual(['1', '143'])
  const long = 'an-experiment-whose-name-is-as-long-as-the-name-of-one-may-be'
  await store.save(aResult({ items, experimentName: long, variant: 'a-variant-with-a-long-name-as-well' }))
  expect((await made.jurist('list')).stdout).toContain(`${long}  a-variant-with-a-long-name-as-well`)
})
