import type { SequentialPlan } from '@jurist/experiment/result'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deciding, sideOf, walkOf } from '../../src/run/decide.js'

type Outcome = boolean | null
type Table = readonly (readonly Outcome[])[]

const items = 40
const order = Array.from({ length: items }, (_, index) => `q${index}`)
const plan: SequentialPlan = {
  rule: 'difference',
  seed: 1,
  order,
  repetitions: 1,
  alpha: 0.05,
  margin: null,
  threshold: null,
  comparisons: [],
}
const trial = (itemId: string, passed: Outcome) => ({ itemId, repetition: 1, agent: 'completed' as const, passed })
const comparisons = [
  { baseline: 'a', candidate: 'b' },
  { baseline: 'a', candidate: 'c' },
]

/** Outcomes of three sides, the second of which is mostly better. */
const tables = fc
  .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: items,
    maxLength: items,
  })
  .map((draws) =>
    draws.map(([one, other]): readonly Outcome[] => [one < 0.3, one < 0.9, other < 0.05 ? null : other < 0.5]),
  )

/** Runs the trials of a table with some concurrency, in an order of completion that a seed decides. */
function simulated(table: Table, planned: SequentialPlan, concurrency: number, draws: () => number) {
  const names = ['a', 'b', 'c']
  const stopped = new Set<string>()
  const begun = deciding(planned)
  const runs = new Map(
    names.map((name) => [
      name,
      begun.join(
        name,
        sideOf(() => 1),
        () => stopped.add(name),
      ),
    ]),
  )
  const waiting = order.flatMap((id, place) =>
    names.map((name, side) => ({ name, id, passed: table[place]?.[side] ?? null })),
  )
  const running: typeof waiting = []
  for (;;) {
    while (running.length < concurrency) {
      const next = waiting.findIndex(({ name }) => !stopped.has(name))
      if (next < 0) break
      running.push(...waiting.splice(next, 1))
    }
    const [ended] = running.splice(Math.floor(draws() * running.length), 1)
    if (ended === undefined) break
    runs.get(ended.name)?.add(trial(ended.id, ended.passed))
  }
  return names.map((name) => runs.get(name)?.stop)
}

describe('the stop of a plan', () => {
  test.each([
    ['a comparison of variants', { ...plan, comparisons }],
    ['a threshold', { ...plan, rule: 'threshold' as const, threshold: 0.7 }],
  ])('%s is the same for every concurrency and order of completion', (_, planned) => {
    fc.assert(
      fc.property(
        tables,
        fc.integer({ min: 1, max: 16 }),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (table, concurrency, stream) => {
          const draws = () => Number(stream.next().value)
          const one = simulated(table, planned, 1, () => 0)
          const other = simulated(table, planned, concurrency, draws)
          expect(other.map((stop) => stop && { ...stop, ahead: [] })).toEqual(
            one.map((stop) => stop && { ...stop, ahead: [] }),
          )
          // Nothing counts that ran ahead, and everything before the stop has run.
          for (const stop of other)
            for (const id of stop?.ahead ?? []) expect(order.indexOf(id)).toBeGreaterThanOrEqual(stop?.after ?? 0)
          // Read again from all outcomes, it is the smallest prefix that decides.
          for (const [place, stop] of one.entries()) {
            if (planned.threshold === null || stop === undefined) continue
            const walk = walkOf(
              planned,
              null,
              sideOf(
                () => 1,
                order.map((id, index) => trial(id, table[index]?.[place] ?? null)),
              ),
            )
            walk.advance()
            expect([walk.taken, walk.why]).toEqual([stop.after, stop.why])
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('an item counts when all its repetitions on both sides have ended, and a cancelled trial has not', () => {
    const twice = { ...plan, repetitions: 2 }
    const [before, after] = [sideOf(() => 2), sideOf(() => 2)]
    const walk = walkOf(twice, before, after)
    for (const repetition of [1, 2]) before.add({ ...trial('q0', true), repetition })
    after.add({ ...trial('q0', false), repetition: 1 })
    after.add({ ...trial('q0', null), repetition: 2, agent: 'cancelled' })
    walk.advance()
    expect(walk.taken).toBe(0)
    after.add({ ...trial('q0', null), repetition: 2 })
    walk.advance()
    expect([walk.taken, walk.undecided]).toEqual([1, { baseline: 0, candidate: 1 }])
  })

  test('an undecided pair is no pair and no tie', () => {
    const all = (passed: (index: number) => Outcome) =>
      sideOf(
        () => 1,
        order.map((id, index) => trial(id, passed(index))),
      )
    const walk = walkOf(
      { ...plan, comparisons: comparisons.slice(0, 1) },
      all(() => false),
      all((index) => (index % 2 === 0 ? null : true)),
    )
    walk.advance()
    // The tenth pair is the twentieth item; nine better ones would have been enough evidence.
    expect([walk.taken, walk.why]).toEqual([20, 'improved'])
  })
})
