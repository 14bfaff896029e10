import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changePoint, searchLength, type TriedCommit } from '../../src/compare/index.js'
import { lossTest } from '../../src/result/statistics/change-point.js'

const counts = fc
  .record({ passed: fc.nat({ max: 30 }), failed: fc.nat({ max: 30 }) })
  .map(({ passed, failed }) => ({ passed, decided: passed + failed }))
const history = fc.array(
  fc.record({ runs: fc.boolean(), prepared: fc.boolean(), items: fc.record({ one: counts, two: counts }) }),
  { minLength: 2, maxLength: 12 },
)

const at = (passed: number, decided: number): TriedCommit => ({ items: { one: { passed, decided } } })

describe('laws of the posterior', () => {
  test('it is one distribution, and groups add up to it', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const { none, suspects, groups } = changePoint({ commits })
        const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
        expect(none + sum(suspects)).toBeCloseTo(1, 9)
        expect(sum(groups.map(({ posterior }) => posterior))).toBeCloseTo(sum(suspects), 9)
        expect(suspects.every((value) => value >= 0 && value <= 1)).toBe(true)
      }),
    )
  })

  test('names and order of items change nothing', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const swapped = commits.map(({ items: { one, two }, ...rest }) => ({ ...rest, items: { b: two, a: one } }))
        const [here, there] = [changePoint({ commits }), changePoint({ commits: swapped })]
        here.suspects.forEach((value, place) => {
          expect(there.suspects[place]).toBeCloseTo(value, 9)
        })
      }),
    )
  })

  test('a commit that cannot be tried is in a group with the next, and is never the next probe', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const { groups, next } = changePoint({ commits })
        const isAlone = ({ first, last }: (typeof groups)[number]) => first === last
        for (const group of groups.filter(isAlone))
          expect(commits[group.first]?.runs === false && group.first < commits.length - 1).toBe(false)
        if (next !== null) expect(commits[next.commit]?.runs).toBe(true)
      }),
    )
  })
})

test('many trials decide, also where every likelihood is too small for a number', () => {
  const { groups } = changePoint({ commits: [at(3_000, 3_000), at(2_900, 3_000), at(600, 3_000), at(500, 3_000)] })
  expect(groups[1]).toEqual({ first: 2, last: 2, posterior: expect.closeTo(1, 6) })
})

test('a sharp fall takes fewer trials than a small one', () => {
  const of = (bad: number) =>
    searchLength({ commits: [at(5, 5), ...Array(7).fill(at(0, 0)), at(bad, 5)] }, { simulations: 40 })
  expect(of(0).median).toBeLessThan(of(3).median)
})

test("the loss is Fisher's exact test", () => {
  expect(lossTest({ passed: 4, decided: 4 }, { passed: 0, decided: 4 })).toBeCloseTo(1 / 70, 12)
  expect(lossTest({ passed: 0, decided: 0 }, { passed: 0, decided: 0 })).toBe(1)
})

test.each([
  [[at(1, 1)], 'a first and a last commit'],
  [[{ items: {} }, { items: {} }], 'no item'],
  [[at(2, 1), at(0, 1)], 'cannot have passed'],
  [[at(-1, 1), at(0, 1)], 'passed'],
])('refuses %j', (commits, words) => {
  expect(() => changePoint({ commits })).toThrow(
    expect.objectContaining({ code: 'statistic-invalid', message: expect.stringContaining(words) }),
  )
})
