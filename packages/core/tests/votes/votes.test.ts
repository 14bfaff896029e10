import type { Ballot, Judgment, Vote } from '@jurist/core'
import {
  abstain,
  average,
  consensus,
  error,
  fail,
  majority,
  median,
  pass,
  plurality,
  weightedAverage,
} from '@jurist/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { VectorVote } from '../vectors.js'
import { ballotsOf, casesOf, voteOf } from '../vectors.js'

describe('the vote vectors', () => {
  const cases = casesOf('votes')
  test('are all there', () => expect(cases).toHaveLength(58))
  test.each(cases)('$id: $why', ({ vote, ballots, expected }) => {
    const given = ballotsOf(ballots as Parameters<typeof ballotsOf>[0])
    const { error, status, score, aggregation } = expected as {
      error?: string
      status?: string
      score?: { value: unknown } | null
      aggregation?: object
    }
    const run = () => voteOf(vote as VectorVote)(given)
    if (error !== undefined) return expect(run).toThrow(expect.objectContaining({ code: error }))
    const judgment = run()
    expect(judgment.status).toBe(status)
    if (score === null) expect(judgment.score).toBeUndefined()
    else if (score !== undefined) expectScore(judgment, score)
    if (aggregation !== undefined) expect(judgment.metadata.aggregation).toMatchObject(aggregation)
  })
})

function expectScore({ score }: Judgment, expected: { value: unknown }) {
  const { value, ...rest } = expected
  expect(score).toMatchObject(rest)
  if (typeof value === 'number') expect(score?.value).toBeCloseTo(value, 9)
  else expect(score?.value).toBe(value)
}

describe('reasoning and options', () => {
  const ballots = [ballot('a', pass('yes')), ballot('b', fail('no')), ballot('c', error('broken'))]
  test('a count vote says how many of how many', () => {
    expect(majority({ onError: 'fail' })(ballots).reasoning).toContain('1 of 3 passed')
    expect(consensus({ onError: 'abstain' })(ballots).reasoning).toContain('1 of 2 passed')
  })
  test('a numeric vote says the number and the threshold', () => {
    expect(average({ threshold: 0.4, onError: 'fail' })(ballots).reasoning).toMatch(/0\.33.*0\.4/)
  })
  test('ignored errors are not spoken of', () => {
    expect(majority({ onError: 'ignore' })(ballots).reasoning).not.toMatch(/error/)
  })
  test('a propagated error names who failed and keeps the first failure', () => {
    const judgment = majority({ onError: 'propagate' })([ballot('x', error('dead', new RangeError('far')))])
    expect(judgment).toMatchObject({ status: 'error', failure: { name: 'RangeError', message: 'far' } })
    expect(judgment.reasoning).toContain('x')
  })
  test('every bad option is named in one error', () => {
    const make = () => average({ threshold: 2, minEligible: 0, unknown: 1 } as never)
    expect(make).toThrow(/"threshold".*"minEligible".*"unknown"/)
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
  test('an option that is undefined counts as not given', () => {
    expect(majority({ onTie: undefined as never })(ballots.slice(0, 2)).status).toBe('fail')
  })
})

function ballot(name: string, judgment: Judgment, weight = 1): Ballot {
  return { name, judgment, weight }
}

const rate = fc.double({ min: 0, max: 1, noNaN: true })
const judgments = fc.oneof(
  rate.map((score) => pass('yes', { score })),
  rate.map((score) => fail('no', { score })),
  fc.constant(abstain('nothing')),
  fc.constant(error('broken', new Error('boom'))),
)
const weights = fc.double({ min: 0.001, max: 1000, noNaN: true })
const someBallots = fc
  .array(fc.tuple(judgments, weights), { minLength: 1, maxLength: 8 })
  .map((pairs) => pairs.map(([judgment, weight], index) => ballot(`j${index}`, judgment, weight)))
const onError = fc.constantFrom('fail', 'abstain', 'ignore', 'propagate', 'propagate-if-decisive')
const someVote: fc.Arbitrary<Vote> = fc.oneof(
  fc.record({ onTie: fc.constantFrom('pass', 'fail', 'abstain'), onError }).map((o) => majority(o as never)),
  fc.record({ onTie: fc.constantFrom('pass', 'fail', 'abstain'), onError }).map((o) => plurality(o as never)),
  fc.record({ onMixed: fc.constantFrom('fail', 'abstain'), onError }).map((o) => consensus(o as never)),
  fc
    .tuple(fc.constantFrom(average, weightedAverage, median), fc.record({ threshold: rate, onError }))
    .map(([make, o]) => make(o as never)),
)

describe('laws of votes', () => {
  const sameOutcome = (a: Judgment, b: Judgment) => {
    expect(a.status).toBe(b.status)
    expect(Number(a.score?.value ?? -1)).toBeCloseTo(Number(b.score?.value ?? -1), 9)
  }
  test('an abstention never changes the outcome', () => {
    fc.assert(
      fc.property(someVote, someBallots, fc.nat(8), (vote, ballots, place) => {
        const more = [...ballots]
        more.splice(place, 0, ballot('silent', abstain('nothing')))
        sameOutcome(vote(more), vote(ballots))
      }),
    )
  })
  test('the order of ballots never changes the outcome', () => {
    const shuffled = someBallots.chain((ballots) =>
      fc.tuple(fc.constant(ballots), fc.shuffledSubarray(ballots, { minLength: ballots.length })),
    )
    fc.assert(fc.property(someVote, shuffled, (vote, [ballots, other]) => sameOutcome(vote(other), vote(ballots))))
  })
  test('weights scaled by a constant change nothing', () => {
    const factor = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(someBallots, rate, factor, (ballots, threshold, by) => {
        const vote = weightedAverage({ threshold })
        const scaled = ballots.map(({ name, judgment, weight }) => ballot(name, judgment, weight * by))
        const [a, b] = [vote(scaled), vote(ballots)]
        fc.pre(Math.abs(Number(a.score?.value ?? 0) - threshold) > 1e-8)
        sameOutcome(a, b)
      }),
    )
  })
  test('the counts account for every ballot', () => {
    fc.assert(
      fc.property(someVote, someBallots, (vote, ballots) => {
        const { aggregation } = vote(ballots).metadata as { aggregation: Record<string, number> }
        const { inputCount, eligibleCount, abstainCount, ignoredErrorCount, errorCount, passCount, failCount } =
          aggregation as unknown as Record<string, number>
        const policy = (aggregation as unknown as { onError: string }).onError
        const left = policy.startsWith('propagate') ? (errorCount ?? 0) : 0
        expect(inputCount).toBe(ballots.length)
        expect(eligibleCount).toBe((passCount ?? 0) + (failCount ?? 0))
        expect(inputCount).toBe((eligibleCount ?? 0) + (abstainCount ?? 0) + (ignoredErrorCount ?? 0) + left)
      }),
    )
  })
})
