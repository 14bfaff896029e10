import { estimateDifference, estimateRun, type Label } from '@jurist/experiment/label'
import type { ItemResult } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const judgedBy = { pass: true, fail: false, abstain: null, error: null } as const
type Judged = keyof typeof judgedBy

const trial = (index: number, judged: Judged): ItemResult =>
  anItem({ itemId: `q${index}`, judged, passed: judgedBy[judged] })

const label = (index: number, said: Label['label'], more: Partial<Label> = {}): Label => ({
  itemId: `q${index}`,
  repetition: 1,
  annotator: 'ana',
  label: said,
  note: null,
  categories: [],
  seconds: null,
  at: null,
  shown: null,
  use: 'certify',
  ...more,
})

const judged = fc.constantFrom<Judged>('pass', 'fail', 'abstain', 'error')
const people = fc.constantFrom<Label['label']>('pass', 'fail', 'skip')
const labelledRun = fc
  .array(fc.record({ judged, said: fc.option(people) }), { minLength: 40, maxLength: 80 })
  .map((trials) => ({
    items: trials.map((one, index) => trial(index, one.judged)),
    labels: trials.flatMap(({ said }, index) => (said === null ? [] : [label(index, said)])),
  }))

describe('estimateRun', () => {
  test('the order of trials and of labels changes no figure', () => {
    fc.assert(
      fc.property(labelledRun, ({ items, labels }) => {
        const figures = estimateRun(aResult({ items }), labels)
        const sorted = estimateRun(aResult({ items: items.toReversed() }), labels.toReversed())
        expect(sorted.input).toEqual(figures.input)
        expect(sorted.rate?.estimate).toEqual(figures.rate?.estimate)
      }),
    )
  })

  test('undecided trials that people fail never raise the estimate', () => {
    fc.assert(
      fc.property(labelledRun, fc.integer({ min: 5, max: 30 }), ({ items, labels }, broken) => {
        const places = Array.from({ length: broken }, (_, index) => items.length + index)
        const more = places.map((index) => trial(index, 'error'))
        const before = estimateRun(aResult({ items }), labels)
        const after = estimateRun(aResult({ items: [...items, ...more] }), [
          ...labels,
          ...places.map((index) => label(index, 'fail')),
        ])
        if (before.rate !== null && after.rate !== null)
          expect(after.rate.estimate).toBeLessThanOrEqual(before.rate.estimate + 1e-12)
      }),
    )
  })

  test('a trial that the agent failed is a fail, and one that did not run is in nothing', () => {
    const items = Array.from({ length: 40 }, (_, index) => trial(index, 'pass'))
    const labels = items.slice(0, 20).map((_, index) => label(index, 'pass'))
    const failed = Array.from({ length: 40 }, (_, index) =>
      anItem({ itemId: `f${index}`, agent: 'timeout', judged: 'not-judged', passed: false }),
    )
    const cancelled = anItem({ itemId: 'c', agent: 'cancelled', judged: 'not-judged', passed: null })
    const whole = estimateRun(aResult({ items: [...items, ...failed, cancelled] }), labels)
    expect(whole.trials).toBe(80)
    expect(whole.rate?.estimate).toBeCloseTo((estimateRun(aResult({ items }), labels).rate?.estimate ?? 0) / 2, 2)
  })

  test('labels of another run, ties and chosen trials are left out and counted', () => {
    const items = Array.from({ length: 40 }, (_, index) => trial(index, 'pass'))
    const run = aResult({ items })
    const labels = items.slice(0, 20).map((_, index) => label(index, 'pass', { run: run.id }))
    const others = [
      label(30, 'fail', { run: 'another' }),
      label(31, 'fail', { use: 'explore' }),
      label(32, 'pass'),
      label(32, 'fail', { annotator: 'ben' }),
      label(33, 'skip'),
    ]
    const estimate = estimateRun(run, [...labels, ...others])
    expect(estimate.rate).toEqual(estimateRun(run, labels).rate)
    expect(estimate.leftOut).toEqual({ chosen: 1, undecided: 3, others: 1 })
    // A run that was judged again takes the labels of the one that it came from.
    const again = { ...run, id: 'again', lineage: { parent: run.id, root: run.id, at: run.startedAt } as never }
    expect(estimateRun(again, labels).rate).toEqual(estimate.rate)
  })
})

test('the difference of two runs with one set of labels includes 0, and is null without labels of both', () => {
  const items = Array.from({ length: 60 }, (_, index) => trial(index, index % 4 === 0 ? 'fail' : 'pass'))
  const labels = items.slice(0, 40).map((_, index) => label(index, index % 5 === 0 ? 'fail' : 'pass'))
  const run = aResult({ items })
  const same = estimateDifference(run, run, { baseline: labels, candidate: labels })
  expect(same).toMatchObject({ items: 40, difference: 0 })
  expect(same?.low).toBeLessThan(0)
  expect(estimateDifference(run, run, { baseline: labels, candidate: [] })).toBeNull()
})
