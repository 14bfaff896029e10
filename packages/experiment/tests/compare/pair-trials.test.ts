import { anItem } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pairTrials } from '../../src/compare/pair-trials.js'

const trial = fc.record({ itemId: fc.constantFrom('a', 'b', 'c', 'd'), repetition: fc.integer({ min: 1, max: 3 }) })
/** Trials of which none is there twice. */
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
