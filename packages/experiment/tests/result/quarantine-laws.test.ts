import { compare } from '@jurist/experiment/compare'
import { resultOf } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dataset } from '../../src/dataset/inline.js'
import { endOf, readQuarantine } from '../../src/dataset/quarantine.js'

const outcomes = fc.array(fc.constantFrom(true, false, null), { minLength: 1, maxLength: 24 })
const itemOf = (passed: boolean | null, index: number) =>
  anItem({ itemId: `q${index}`, passed, judged: passed === null ? 'abstain' : passed ? 'pass' : 'fail' })
const runOf = (passes: readonly (boolean | null)[], isIn: (id: string) => boolean = () => true) => {
  const items = passes.map(itemOf).filter(({ itemId }) => isIn(itemId))
  return { ...aResult(), items, planned: items.length, configuration: { repetitions: 1 } }
}
const entry = (item: string) => ({ item, owner: 'ana', reason: 'clock', since: '2026-11-20', until: '2026-12-20' })
const gates = (run: ReturnType<typeof resultOf>) => {
  const { counts, passRate, passRateOfAll, passRateInterval, scores, flakyItems, passAtK, byBucket } = run
  return JSON.stringify({ counts, passRate, passRateOfAll, passRateInterval, scores, flakyItems, passAtK, byBucket })
}

test('a run with items in quarantine has the figures of a run without these items', () => {
  fc.assert(
    fc.property(outcomes, fc.array(fc.nat(23), { maxLength: 4 }), (passes, places) => {
      const named = new Set(places.filter((place) => place < passes.length).map((place) => `q${place}`))
      const quarantine = [...named].map(entry)
      const apart = resultOf({ ...runOf(passes), ...(quarantine.length > 0 ? { quarantine } : {}) })
      const without = resultOf(runOf(passes, (id) => !named.has(id)))
      expect(gates(apart)).toBe(gates(without))
    }),
  )
})

test('an entry changes a gate by the items that it names and by no others', () => {
  fc.assert(
    fc.property(outcomes, fc.nat(23), (passes, place) => {
      const [all, apart] = [resultOf(runOf(passes)), resultOf({ ...runOf(passes), quarantine: [entry(`q${place}`)] })]
      const outcome = passes[place]
      // What is left out is exactly the trial of the item: whatever passes now passed without it.
      expect(all.counts.passes - apart.counts.passes).toBe(outcome === true ? 1 : 0)
      expect(all.counts.fails - apart.counts.fails).toBe(outcome === false ? 1 : 0)
      expect(apart.quarantined?.passRateWithThem ?? all.passRate).toBe(all.passRate)
    }),
  )
})

test('runs are compared over the items that neither has in quarantine', () => {
  fc.assert(
    fc.property(outcomes, outcomes, fc.nat(23), fc.nat(23), (before, after, one, other) => {
      const named = new Set([`q${one}`, `q${other}`])
      const [baseline, candidate] = [runOf(before), runOf(after)]
      const apart = compare(
        resultOf({ ...baseline, quarantine: [entry(`q${one}`)] }),
        resultOf({ ...candidate, quarantine: [entry(`q${other}`)] }),
      )
      const isIn = (id: string) => !named.has(id)
      const without = compare(resultOf(runOf(before, isIn)), resultOf(runOf(after, isIn)))
      const said = ({ items, passRate, conclusion, flips, changes }: typeof apart) =>
        JSON.stringify({ items, passRate, conclusion, flips, changes })
      expect(said(apart)).toBe(said(without))
    }),
  )
})

test('an entry holds until the last second of its last day in UTC', async () => {
  const end = endOf({ until: '2026-12-20' })
  expect(new Date(end).toISOString()).toBe('2026-12-21T00:00:00.000Z')
  // Items in memory have no such file.
  expect(await readQuarantine(dataset({ name: 'inline', items: [{ id: 'a', task: 'b' }] }))).toMatchObject({
    file: null,
    entries: [],
  })
})
