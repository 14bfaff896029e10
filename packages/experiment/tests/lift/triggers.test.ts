import { anItem, aResult } from '@jurist/experiment/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { triggersOf } from '../../src/lift/triggers.js'
import { wilsonInterval } from '../../src/result/statistics/rate-intervals.js'

type Seen = 'fired' | 'not' | 'unseen' | 'broken' | 'timeout'

const trialOf = (itemId: string, repetition: number, seen: Seen) =>
  anItem({
    ...{
      itemId,
      itemHash: itemId,
      repetition,
      agent: seen === 'timeout' ? ('timeout' as const) : ('completed' as const),
    },
    failure:
      seen === 'broken' ? { origin: 'agent', name: 'Error', message: 'fetch failed', infrastructure: true } : null,
    detail: {
      kind: 'agent',
      invocation: {
        status: 'completed',
        ...(seen === 'unseen' ? {} : { metadata: { 'lift.used': seen === 'fired' || seen === 'broken' } }),
      },
    },
  })

const queries = fc.array(
  fc.record({
    should: fc.boolean(),
    seen: fc.array(fc.constantFrom<Seen>('fired', 'not', 'unseen', 'broken', 'timeout'), {
      minLength: 1,
      maxLength: 5,
    }),
  }),
  { minLength: 1, maxLength: 12 },
)

test('each query counts by the majority of its trials, and a trial that shows nothing counts nowhere', () => {
  fc.assert(
    fc.property(queries, (given) => {
      const items = given.flatMap(({ seen }, query) => seen.map((one, at) => trialOf(`q${query}`, at + 1, one)))
      const asked = given.map(({ should }, query) => ({ id: `q${query}`, should }))
      const { should, shouldNot, leftOut } = triggersOf(aResult({ kind: 'lift', items }), asked)
      const table = { true: [0, 0, 0, 0, 0], false: [0, 0, 0, 0, 0] }
      let out = 0
      for (const { should: wanted, seen } of given) {
        const fired = seen.filter((one) => one === 'fired').length
        const not = seen.filter((one) => one === 'not').length
        out += seen.length - fired - not
        const row = table[`${wanted}`]
        const add = [fired > not, fired < not, fired === not && fired > 0].map(Number)
        for (const [at, one] of [...add, fired, fired + not].entries()) row[at] = (row[at] ?? 0) + one
      }
      for (const [side, row] of [
        [should, table.true],
        [shouldNot, table.false],
      ] as const) {
        const { fired, not, ties, trials, rate } = side
        expect([fired, not, ties, trials.fired, trials.of]).toEqual(row)
        if (trials.of > 0) expect(rate).toBeCloseTo(trials.fired / trials.of, 12)
      }
      expect(leftOut).toBe(out)
    }),
  )
})

test('queries whose trials all agree have the interval of Wilson by query', () => {
  const items = Array.from({ length: 10 }, (_, query) =>
    [1, 2, 3].map((repetition) => trialOf(`q${query}`, repetition, 'fired')),
  ).flat()
  const asked = Array.from({ length: 10 }, (_, query) => ({ id: `q${query}`, should: true }))
  const { should } = triggersOf(aResult({ kind: 'lift', items }), asked)
  const { low = 0, high = 0 } = wilsonInterval(10, 10) ?? {}
  expect(should.interval?.low).toBeCloseTo(low, 9)
  expect(should.interval?.high).toBeCloseTo(high, 9)
})
