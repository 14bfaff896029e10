import type { Ballot, Judge, Judgment, Jury, Tiers, Vote } from '@jurist/core'
import {
  abstain,
  allOf,
  anyOf,
  average,
  cascade,
  categorical,
  consensus,
  error,
  fail,
  jury,
  majority,
  median,
  not,
  pass,
  plurality,
  verdictFromJson,
  weightedAverage,
} from '@jurist/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/**
 * The law: whatever the judges in error would have said, had they decided, no pass becomes a fail and no fail a pass.
 * It is tested in its strong form: what is decided stays exactly as it is.
 */
const anyRate = fc.oneof(fc.constantFrom(0, 0.25, 0.5, 0.75, 1), fc.double({ min: 0, max: 1, noNaN: true }))
const scores = fc.oneof(
  anyRate,
  fc
    .constantFrom('low', 'high', 'unknown')
    .map((label) => categorical(label, ['low', 'high', 'unknown'], { scale: { low: 0, high: 1 } })),
)
const decided: fc.Arbitrary<Judgment> = fc.oneof(
  scores.map((score) => pass('yes', { score })),
  scores.map((score) => fail('no', { score })),
  fc.constantFrom(pass('yes'), fail('no')),
)
const broken = error('broken', new Error('boom'))
const judgments = fc.oneof(
  { weight: 3, arbitrary: decided },
  { weight: 1, arbitrary: fc.constant(abstain('nothing')) },
  { weight: 3, arbitrary: fc.constant(broken) },
)
// What replaces an error: a decided judgment, or the error itself, so that some errors stay.
const repairs = fc.array(fc.oneof({ weight: 5, arbitrary: decided }, { weight: 1, arbitrary: fc.constant(broken) }), {
  minLength: 40,
  maxLength: 40,
})

const onError = fc.constantFrom(undefined, 'propagate-if-decisive', 'propagate')
const numeric = fc.record({ threshold: anyRate, onError, minEligible: fc.integer({ min: 1, max: 4 }) })
const votes: fc.Arbitrary<Vote> = fc.oneof(
  fc.record({ onTie: fc.constantFrom('pass', 'fail', 'abstain'), onError }).map((o) => majority(o as never)),
  fc.record({ onMixed: fc.constantFrom('fail', 'abstain'), onError }).map((o) => consensus(o as never)),
  fc
    .record({
      passes: fc.constantFrom(undefined, 'high', ['high', 'pass'], ['unknown', 'low'], 'no judge says it'),
      onTie: fc.constantFrom('pass', 'fail', 'abstain'),
      onError,
      minEligible: fc.integer({ min: 1, max: 4 }),
    })
    .map((o) => plurality(o as never)),
  fc.tuple(fc.constantFrom(average, weightedAverage, median), numeric).map(([make, o]) => make(o as never)),
)
const weights = fc.constantFrom(1, 1, 0, 0.5, 3)

function stays(before: Judgment, after: Judgment): void {
  if (before.status === 'error') return
  expect(after.status).toBe(before.status)
}

describe('an error decides nothing', () => {
  test('in any vote, with any options', () => {
    const ballots = fc.array(fc.tuple(judgments, weights), { minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(votes, ballots, repairs, (vote, given, mended) => {
        fc.pre(given.some(([, weight]) => weight > 0))
        const made = (replace: boolean): Ballot[] =>
          given.map(([judgment, weight], index) => ({
            name: `j${index}`,
            judgment: replace && judgment.status === 'error' ? (mended[index] ?? judgment) : judgment,
            weight,
          }))
        stays(vote(made(false)), vote(made(true)))
      }),
      { numRuns: 600 },
    )
  })

  test('in juries of juries, cascades and combinators', async () => {
    const { tree } = fc.letrec<{ tree: Tree; jury: Tree }>((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, { weight: 3, arbitrary: judgments.map((said): Tree => ({ said })) }, tie('jury')),
      jury: fc.oneof(
        fc.record({ vote: votes, seats: fc.array(fc.tuple(tie('tree'), weights), { minLength: 1, maxLength: 4 }) }),
        fc.record({
          gates: fc.array(
            fc.record({
              policy: fc.constantFrom('reject-on-any-fail', 'accept-on-all-pass', 'accept-when-decided'),
              jury: tie('jury'),
            }),
            { maxLength: 2 },
          ),
          last: tie('tree'),
        }),
        fc.record({
          combine: fc.constantFrom(allOf, anyOf, not as never),
          members: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
        }),
      ) as fc.Arbitrary<Tree>,
    }))
    await fc.assert(
      fc.asyncProperty(tree, repairs, async (given, mended) => {
        const before = await judgmentBy(grown(given))
        const left = [...mended]
        const after = await judgmentBy(grown(given, () => left.shift() ?? broken))
        stays(before, after)
      }),
      { numRuns: 600 },
    )
  })
})

type Tree =
  | { readonly said: Judgment }
  | { readonly vote: Vote; readonly seats: readonly (readonly [Tree, number])[] }
  | { readonly gates: readonly { readonly policy: string; readonly jury: Tree }[]; readonly last: Tree }
  | { readonly combine: (...members: readonly Judge[]) => Judge; readonly members: readonly Tree[] }

/** The judge that a tree describes; `mend` says what an error is replaced with. */
function grown(tree: Tree, mend: () => Judgment = () => broken): Judge {
  if ('said' in tree) {
    const said = tree.said.status === 'error' ? mend() : tree.said
    return () => said
  }
  if ('members' in tree) return tree.combine(...tree.members.map((member) => grown(member, mend)))
  if ('gates' in tree) {
    const gates = tree.gates.map(({ policy, jury: inner }, index) => ({
      name: `gate${index}`,
      policy,
      jury: grown(inner, mend),
    }))
    return cascade([...gates, { name: 'last', policy: 'final', jury: grown(tree.last, mend) }] as unknown as Tiers)
  }
  const { vote, seats } = tree
  const judges = Object.fromEntries(
    seats.map(([seat, weight], index) => [`s${index}`, { judge: grown(seat, mend), weight: index === 0 ? 1 : weight }]),
  )
  return jury({ judges, vote })
}

/** The judgment after a round trip through JSON, as a jury that is read back gives it. */
async function judgmentBy(judge: Judge): Promise<Judgment> {
  const verdict = await jury({ judges: { it: judge } }).vote({})
  return verdictFromJson(JSON.parse(JSON.stringify(verdict))).individual.it as Judgment
}

describe('where errors reach further than one vote', () => {
  const yes = pass('yes')
  const no = fail('no')
  const inner = (vote: Vote, ...said: readonly Judgment[]): Jury =>
    jury({ judges: Object.fromEntries(said.map((one, index) => [`j${index}`, () => one])), vote })

  test('the score of a pass that rests on an error is not taken at its word', async () => {
    const half = inner(average(), yes, broken)
    expect((await half.vote({})).aggregated).toMatchObject({
      status: 'pass',
      score: { value: 1 },
      metadata: { errorBounds: { low: 0.5, high: 1 } },
    })
    const outer = jury({ judges: { half, no: () => no }, vote: average() })
    const { aggregated } = await outer.vote({})
    expect(aggregated).toMatchObject({ status: 'error', reasoning: expect.stringContaining('half') })
  })

  test('a quorum that an error may have missed is an error', () => {
    const ballots = [yes, broken].map((judgment, index) => ({ name: `j${index}`, judgment, weight: 1 }))
    expect(average({ minEligible: 2 })(ballots).status).toBe('error')
    expect(average({ minEligible: 3 })(ballots).status).toBe('abstain')
    expect(average({ threshold: 0 })([ballots[1] as Ballot]).status).toBe('error')
  })

  test('an accept gate that an error kept shut: pass stays pass, a fail behind it is an error', async () => {
    const over = (gate: Judgment[], last: Judgment) =>
      cascade([
        { name: 'quick', policy: 'accept-on-all-pass', jury: inner(consensus(), ...gate) },
        { name: 'last', policy: 'final', jury: () => last },
      ]).vote({})
    const outcomes = async (verdict: ReturnType<typeof over>) =>
      [(await verdict).aggregated.status, ...((await verdict).tiers ?? []).map(({ outcome }) => outcome)].join(' ')
    expect(await outcomes(over([yes, broken], yes))).toBe('pass escalated decided')
    expect(await outcomes(over([yes, broken], no))).toBe('error escalated errored')
    expect(await outcomes(over([no, broken], no))).toBe('fail escalated decided')
    expect((await over([yes, broken], no)).aggregated).toMatchObject({
      failure: { message: 'boom' },
      reasoning: expect.stringMatching(/quick might have accepted.*last said fail/),
    })
  })

  test('a fail in a cascade that an error stopped does not reject: another tier could have decided', async () => {
    const sure = cascade([
      { name: 'quick', policy: 'accept-when-decided', jury: inner(majority({ onTie: 'abstain' }), no, broken) },
      { name: 'slow', policy: 'final', jury: () => yes },
    ])
    const outer = (gate: Jury) =>
      cascade([
        { name: 'gate', policy: 'reject-on-any-fail', jury: gate },
        { name: 'last', policy: 'final', jury: () => yes },
      ])
    expect((await outer(sure).vote({})).aggregated).toMatchObject({ status: 'error', failure: { message: 'boom' } })
    expect((await outer(outer(sure)).vote({})).aggregated.status).toBe('error')
    // In the last tier nothing else could have decided.
    const final = cascade([{ name: 'slow', policy: 'final', jury: inner(majority({ onTie: 'abstain' }), no, broken) }])
    expect((await outer(final).vote({})).aggregated.status).toBe('fail')
  })
})
