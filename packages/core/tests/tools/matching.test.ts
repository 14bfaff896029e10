import { runJudge, type ToolStep } from '@jurist/core'
import { toolCalls } from '@jurist/core/tools'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commonSubsequence, maximumMatching } from '../../src/tools/compared-calls.js'

/** The most pairs that any choice of places gives, and the most of them among the first lefts. */
function bruteForce(edges: readonly (readonly number[])[], first: number): readonly [all: number, first: number] {
  const from = (left: number, taken: ReadonlySet<number>): readonly [number, number] => {
    if (left === edges.length) return [0, 0]
    let best = from(left + 1, taken)
    for (const right of edges[left] ?? []) {
      if (taken.has(right)) continue
      const [all, among] = from(left + 1, new Set([...taken, right]))
      const found = [all + 1, among + (left < first ? 1 : 0)] as const
      best = [Math.max(best[0], found[0]), Math.max(best[1], found[1])]
    }
    return best
  }
  return from(0, new Set())
}

const graphs = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }))
  .chain(([lefts, rights, first]) =>
    fc.tuple(
      fc.array(fc.uniqueArray(fc.nat(Math.max(0, rights - 1)), { maxLength: rights }), {
        minLength: lefts,
        maxLength: lefts,
      }),
      fc.constant(rights),
      fc.constant(Math.min(first, lefts)),
    ),
  )

describe('a maximum matching', () => {
  test('pairs as many as any choice does, and of the first ones as many as can be', () => {
    fc.assert(
      fc.property(graphs, ([edges, rights, first]) => {
        const matches = maximumMatching(edges, rights, first)
        const pairs = matches.flatMap((right, left) => (right === -1 ? [] : [[left, right] as const]))
        expect(pairs.every(([left, right]) => edges[left]?.includes(right))).toBe(true)
        expect(new Set(pairs.map(([, right]) => right)).size).toBe(pairs.length)
        expect([pairs.length, pairs.filter(([left]) => left < first).length]).toEqual(bruteForce(edges, first))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a common subsequence', () => {
  test('is in order, and as heavy as any', () => {
    const weights = fc.array(fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }), { maxLength: 5 })
    fc.assert(
      fc.property(weights, (table) => {
        const weight = (left: number, right: number) => table[left]?.[right] ?? 0
        const best = (left: number, right: number): number => {
          if (left === table.length || right === 4) return 0
          const own = weight(left, right)
          const matched = own === 0 ? 0 : own + best(left + 1, right + 1)
          return Math.max(matched, best(left + 1, right), best(left, right + 1))
        }
        const pairs = commonSubsequence(table.length, 4, weight).flatMap((right, left) =>
          right === -1 ? [] : [[left, right] as const],
        )
        expect(pairs.map(([, right]) => right)).toEqual([...pairs.map(([, right]) => right)].sort())
        expect(pairs.every(([left, right]) => weight(left, right) > 0)).toBe(true)
        expect(pairs.reduce((sum, [left, right]) => sum + weight(left, right), 0)).toBe(best(0, 0))
      }),
    )
  })
})

const step = (name: string, input: ToolStep['input'] = {}): ToolStep => ({ name, input, status: 'completed', turn: 0 })

/** What a comparison does that takes the first free call that fits. */
function greedily(expected: readonly (readonly number[])[]): number {
  const taken = new Set<number>()
  for (const fits of expected) {
    const free = fits.find((index) => !taken.has(index))
    if (free !== undefined) taken.add(free)
  }
  return taken.size
}

describe('calls that fit several expected ones', () => {
  test.each([2, 3, 5, 8, 20, 60])('%i loose rules before strict ones: all are matched', async (count) => {
    const values = Array.from({ length: count }, (_, index) => index)
    const expected = values.map((index) => ({ name: 'set', input: { to: { oneOf: values.slice(0, count - index) } } }))
    const steps = values.map((to) => step('set', { to }))
    const fits = expected.map(({ input }) =>
      steps.flatMap(({ input: made }, index) =>
        input.to.oneOf.includes((made as { readonly to: number }).to) ? [index] : [],
      ),
    )
    expect(greedily(fits)).toBeLessThan(count)
    const judgment = await runJudge(toolCalls({ expected }), { toolSteps: steps })
    expect([judgment.status, judgment.score]).toEqual(['pass', expect.objectContaining({ value: 1 })])
  })
})
