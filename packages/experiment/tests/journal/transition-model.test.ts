import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TransitionModel, transitionModel } from '../../src/journal/index.js'

interface Case {
  readonly id: string
  readonly statistic: string
  readonly input: { readonly trajectories: Parameters<typeof transitionModel>[0] }
  readonly expected: Partial<TransitionModel> & { readonly error?: string }
  readonly tolerance?: number
}

const vectors = JSON.parse(readFileSync(new URL('../../vectors/statistics.json', import.meta.url), 'utf8')) as {
  readonly tolerance: number
  readonly cases: readonly Case[]
}
const cases = vectors.cases.filter(({ statistic }) => statistic === 'transitionModel')

function expectClose(actual: unknown, expected: unknown, tolerance: number): void {
  if (typeof expected === 'number') {
    expect(Math.abs((actual as number) - expected)).toBeLessThanOrEqual(tolerance)
    return
  }
  if (typeof expected !== 'object' || expected === null) expect(actual).toBe(expected)
  else
    for (const [key, value] of Object.entries(expected))
      expectClose((actual as Record<string, unknown>)[key], value, tolerance)
}

test.each(cases)('$id', ({ input, expected, tolerance = vectors.tolerance }) => {
  if (expected.error === undefined) expectClose(transitionModel(input.trajectories), expected, tolerance)
  else expect(() => transitionModel(input.trajectories)).toThrow(expect.objectContaining({ code: expected.error }))
})

test('the cases are there', () => {
  expect(cases.length).toBeGreaterThanOrEqual(2)
})

test('counts, shares and ends of a small chain', () => {
  const model = transitionModel([
    { sequence: ['read', 'write', 'test', 'write', 'test'], end: 'pass' },
    { sequence: ['read', 'test'], end: 'fail' },
    { sequence: [], end: 'timeout' },
  ])
  expect(model).toMatchObject({
    states: ['read', 'test', 'write'],
    absorbing: ['fail', 'pass'],
    counts: [
      [0, 1, 1, 0, 0],
      [0, 0, 1, 1, 1],
      [0, 2, 0, 0, 0],
    ],
    runs: 3,
  })
  expect(model.matrix[1]).toEqual([0, 0, 1 / 3, 1 / 3, 1 / 3])
  expect(model.expectedSteps['test']).toBeCloseTo(2, 12)
  expect(model.absorption['test']).toEqual({ fail: expect.closeTo(0.5, 12), pass: expect.closeTo(0.5, 12) })
})

test('a state from which no end was reached has no number of steps', () => {
  const model = transitionModel([
    { sequence: ['read', 'stuck', 'stuck'], end: '' },
    { sequence: ['read', 'write'], end: 'pass' },
  ])
  expect(model.expectedSteps).toMatchObject({ stuck: null, write: 1 })
  expect(model.absorption).not.toHaveProperty('stuck')
  expect(model.absorption['read']?.['pass']).toBeCloseTo(0.5, 12)
  expect(transitionModel([])).toEqual({
    ...{ states: [], absorbing: [], matrix: [], counts: [], expectedSteps: {}, absorption: {}, runs: 0 },
  })
})

test('a name that is a state and an end is refused', () => {
  expect(() => transitionModel([{ sequence: ['test', 'pass'], end: 'pass' }])).toThrow(
    expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining('pass is a state and an end') }),
  )
})

/** Expected steps and ends by walking on, step by step, until next to nothing is left. */
function byPowers({ states, absorbing, matrix }: TransitionModel, from: number) {
  let shares = states.map((_, index) => Number(index === from))
  const ends = absorbing.map(() => 0)
  let steps = 0
  for (let left = 1; left > 1e-13; left = shares.reduce((sum, share) => sum + share, 0)) {
    steps += left
    absorbing.forEach((_, end) => {
      ends[end] =
        (ends[end] ?? 0) +
        shares.reduce((sum, share, row) => sum + share * (matrix[row]?.[states.length + end] ?? 0), 0)
    })
    shares = states.map((_, column) =>
      shares.reduce((sum, share, row) => sum + share * (matrix[row]?.[column] ?? 0), 0),
    )
  }
  return { steps, ends }
}

test('agrees with walking the chain step by step', () => {
  const trajectory = fc.record({
    sequence: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 }),
    end: fc.constantFrom('pass', 'fail', 'timeout'),
  })
  fc.assert(
    fc.property(fc.array(trajectory, { minLength: 1, maxLength: 8 }), (trajectories) => {
      const model = transitionModel(trajectories)
      for (const row of model.matrix) expect(row.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
      model.states.forEach((state, index) => {
        const { steps, ends } = byPowers(model, index)
        expect(model.expectedSteps[state]).toBeCloseTo(steps, 6)
        model.absorbing.forEach((end, at) => void expect(model.absorption[state]?.[end]).toBeCloseTo(ends[at] ?? 0, 8))
      })
    }),
    { numRuns: 60 },
  )
})
