import { anItem, aResult } from '@jurist/experiment/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { liftOf, withinItemsTest } from '../../src/lift/lift.js'

interface Counts {
  readonly passed: number
  readonly decided: number
}

/** By counting every way in which the passes of each item can fall on its trials. */
function byCounting(items: readonly { readonly without: Counts; readonly with: Counts }[]): number {
  const observed = items.reduce((sum, item) => sum + item.with.passed, 0)
  let ways = new Map([[0, 1]])
  for (const { without, with: other } of items) {
    const trials = without.decided + other.decided
    const next = new Map<number, number>()
    for (let chosen = 0; chosen < 2 ** trials; chosen += 1) {
      const bits = [...chosen.toString(2).padStart(trials, '0')].map(Number)
      if (bits.reduce((sum, bit) => sum + bit, 0) !== without.passed + other.passed) continue
      const passed = bits.slice(0, other.decided).reduce((sum, bit) => sum + bit, 0)
      for (const [sum, count] of ways) next.set(sum + passed, (next.get(sum + passed) ?? 0) + count)
    }
    ways = next
  }
  const total = [...ways.values()].reduce((sum, count) => sum + count, 0)
  const share = (holds: (sum: number) => boolean) =>
    [...ways].filter(([sum]) => holds(sum)).reduce((all, [, count]) => all + count, 0) / total
  return Math.min(
    1,
    2 *
      Math.min(
        share((sum) => sum <= observed),
        share((sum) => sum >= observed),
      ),
  )
}

const counts = fc
  .integer({ min: 1, max: 4 })
  .chain((decided) => fc.record({ decided: fc.constant(decided), passed: fc.integer({ min: 0, max: decided }) }))
const tables = fc.array(fc.record({ without: counts, with: counts }), { minLength: 1, maxLength: 4 })

test('the test within items counts what it should', () => {
  fc.assert(
    fc.property(tables, (items) => {
      expect(withinItemsTest(items)).toBeCloseTo(byCounting(items), 9)
    }),
  )
})

test('neither the order of the items nor that of the arms matters', () => {
  fc.assert(
    fc.property(tables, (items) => {
      const swapped = items.map((item) => ({ without: item.with, with: item.without })).toReversed()
      expect(withinItemsTest(swapped)).toBeCloseTo(withinItemsTest(items), 9)
    }),
  )
})

type Outcome = boolean | null

const arm = (name: 'without' | 'with', items: Readonly<Record<string, readonly Outcome[]>>, costUsd = 1) =>
  aResult({
    kind: 'lift',
    variant: name,
    items: Object.entries(items).flatMap(([itemId, outcomes]) =>
      outcomes.map((passed, index) =>
        anItem({
          ...{ itemId, itemHash: itemId, repetition: index + 1, passed, costUsd },
          ...(passed === null ? { agent: 'error' as const, judged: 'not-judged' as const } : {}),
        }),
      ),
    ),
  })

const all = (ids: number, outcomes: readonly Outcome[]) =>
  Object.fromEntries(Array.from({ length: ids }, (_, index) => [`item-${index}`, outcomes]))

test('the number of planned items chooses the test, and each has its own words', () => {
  const few = liftOf(arm('without', all(3, [false, false, false])), arm('with', all(3, [true, true, true])), 3)
  expect(few).toMatchObject({ conclusion: 'helps', test: 'within-items', difference: 1, interval: null, needed: null })
  expect(few.pValue).toBeCloseTo(2 / 20 ** 3, 12)
  const many = liftOf(arm('without', all(12, [true, true])), arm('with', all(12, [false, false])), 12)
  expect(many).toMatchObject({
    conclusion: 'hurts',
    test: 'by-item',
    difference: -1,
    without: { passed: 24, decided: 24 },
  })
  expect(many.pValue).toBeCloseTo(2 / 2 ** 12, 12)
})

test('a difference that is not shown says what would show it', () => {
  const { conclusion, needed } = liftOf(arm('without', all(3, [false, true])), arm('with', all(3, [true, true])), 3)
  expect(conclusion).toBe('not-shown')
  expect(needed).toEqual({ repetitions: expect.any(Number) })
})

test('undecided trials that could turn the sign forbid a conclusion', () => {
  const none = [false, false, false, false, false, false]
  const some = [true, true, null, null, null, null]
  const { conclusion, pValue, with: other } = liftOf(arm('without', all(9, none)), arm('with', all(9, some)), 9)
  expect(pValue).toBeLessThan(0.05)
  expect([conclusion, other.trials, other.decided]).toEqual(['helps', 54, 18])
  const half = [false, false, false, true, true, true]
  const turned = liftOf(arm('without', all(9, half)), arm('with', all(9, some)), 9)
  expect(turned.pValue).toBeLessThan(0.05)
  expect(turned.conclusion).toBe('not-shown')
})

test('costs are ratios of item means, and an unknown cost is absent', () => {
  const { costUsd, tokens } = liftOf(arm('without', all(12, [true]), 0.4), arm('with', all(12, [true]), 0.1), 12)
  expect(costUsd).toMatchObject({ items: 12, pValue: expect.closeTo(2 / 2 ** 12, 12) })
  expect(costUsd?.ratio).toBeCloseTo(0.25, 12)
  expect(tokens).toBeNull()
})
