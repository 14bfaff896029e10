import { compare, holmAdjusted } from '@jurist/experiment/compare'
import {
  changesTogether,
  comparedTrials,
  pairwiseTests,
  paretoFront,
  runChange,
} from '@jurist/experiment/internal/results'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/result/statistics/random.js'

/** A run with a trial for each letter of each item: `1` passed, `0` failed, `?` undecided. */
function runOf(items: readonly string[], costUsd: number | null = null) {
  return aResult({
    items: items.flatMap((letters, index) =>
      [...letters].map((letter, at) =>
        anItem({
          itemId: `item-${index}`,
          repetition: at + 1,
          passed: letter === '?' ? null : letter === '1',
          judged: letter === '?' ? 'abstain' : letter === '1' ? 'pass' : 'fail',
          costUsd,
        }),
      ),
    ),
  })
}

const outcomes = fc.array(fc.stringMatching(/^[01?]{1,3}$/), { minLength: 1, maxLength: 8 })

describe('how a run differs from another', () => {
  test('is what the comparison of the two says', () => {
    fc.assert(
      fc.property(outcomes, outcomes, (before, after) => {
        const [baseline, candidate] = [runOf(before, 1), runOf(after, 2)]
        const { passRate, costUsd } = compare(baseline, candidate)
        const change = runChange(comparedTrials(baseline), comparedTrials(candidate))
        expect(change.passRate?.items).toBe(passRate?.items)
        expect(change.passRate?.delta ?? 0).toBeCloseTo(passRate?.delta ?? 0, 12)
        expect(change.passRate?.permutation).toEqual(passRate?.permutation)
        expect(change.costUsd?.delta).toBe(costUsd?.delta)
      }),
      { numRuns: 60 },
    )
  })

  test('says nothing of an item that set another task', () => {
    const [before, after] = [comparedTrials(runOf(['1', '1'])), comparedTrials(runOf(['0', '0']))]
    const changed = after.map((trial, index) => (index === 0 ? { ...trial, itemHash: 'f'.repeat(64) } : trial))
    expect(runChange(before, changed).passRate?.items).toBe(1)
  })

  test('is read together with others: p is raised by measure', () => {
    const [good, bad] = [Array(12).fill('1'), Array(12).fill('0')].map((items) => comparedTrials(runOf(items)))
    const change = runChange(good ?? [], bad ?? [])
    const [first, none, third] = changesTogether([change, null, change])
    expect(none).toBeNull()
    expect(first?.passRate?.permutation).toMatchObject({ pValue: 2 ** -11, adjustedPValue: 2 ** -10, tests: 2 })
    expect(third?.passRate?.permutation.adjustedPValue).toBe(2 ** -10)
  })
})

test('a series of runs without a change has a false step in at most one of twenty cases', () => {
  const random = seededRandom(7).uniform
  const [series, nights, items] = [100, 30, 24]
  let alarms = 0
  for (let one = 0; one < series; one++) {
    const rates = Array.from({ length: items }, () => random())
    const runs = Array.from({ length: nights }, () =>
      comparedTrials(runOf(rates.map((rate) => [1, 2].map(() => (random() < rate ? '1' : '0')).join('')))),
    )
    const changes = runs.slice(1).map((run, index) => runChange(runs[index] ?? [], run))
    const found = changesTogether(changes).some((change) => (change?.passRate?.permutation.adjustedPValue ?? 1) <= 0.05)
    if (found) alarms += 1
  }
  // Of a rate of one in twenty, 100 series have more than 11 in one of a hundred cases.
  expect(alarms).toBeLessThanOrEqual(11)
})

describe('every two of several runs', () => {
  test('are tested once, with p raised by Holm over all of them', () => {
    fc.assert(
      fc.property(fc.array(outcomes, { minLength: 2, maxLength: 4 }), (all) => {
        const runs = all.map((items) => comparedTrials(runOf(items)))
        const pairs = pairwiseTests(runs)
        expect(pairs.map(({ first, second }) => [first, second])).toEqual(
          runs.flatMap((_, first) => runs.slice(first + 1).map((__, at) => [first, first + 1 + at])),
        )
        const tests = pairs.flatMap(({ passRate }) => passRate?.permutation ?? [])
        expect(tests.map(({ adjustedPValue }) => adjustedPValue)).toEqual(
          holmAdjusted(tests.map(({ pValue }) => pValue)),
        )
      }),
      { numRuns: 60 },
    )
  })
})

describe('the Pareto front', () => {
  test('of known choices', () => {
    const choices = [
      { costUsd: 2, passRate: 0.9 },
      { costUsd: 1, passRate: 0.5 },
      { costUsd: 3, passRate: 0.8 },
      { costUsd: 2, passRate: 0.4 },
      { costUsd: null, passRate: 1 },
    ]
    expect(paretoFront(choices)).toEqual([1, 0])
    expect(paretoFront([])).toEqual([])
  })

  test('has a choice exactly if no other one beats it', () => {
    const amount = fc.option(fc.integer({ min: 0, max: 6 }))
    fc.assert(
      fc.property(fc.array(fc.record({ costUsd: amount, passRate: amount })), (choices) => {
        const isKnown = (one: (typeof choices)[number]) => one.costUsd !== null && one.passRate !== null
        const beats = (one: (typeof choices)[number], other: (typeof choices)[number]) =>
          isKnown(one) &&
          Number(one.costUsd) <= Number(other.costUsd) &&
          Number(one.passRate) >= Number(other.passRate) &&
          (one.costUsd !== other.costUsd || one.passRate !== other.passRate)
        const unbeaten = choices.flatMap((one, index) =>
          isKnown(one) && !choices.some((other) => beats(other, one)) ? [index] : [],
        )
        expect(paretoFront(choices).toSorted((one, other) => one - other)).toEqual(unbeaten)
      }),
    )
  })
})
