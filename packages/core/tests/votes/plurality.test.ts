import type { Ballot, Judgment, Jury } from '@jurist/core'
import {
  abstain,
  average,
  categorical,
  consensus,
  error,
  fail,
  jury,
  majority,
  pass,
  plurality,
  verdictFromJson,
} from '@jurist/core'
import { labels, modelJudge, pairwise, userRequest } from '@jurist/core/llm'
import { aContext, scriptedModel, voteContract } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

type PluralityOptions = NonNullable<Parameters<typeof plurality>[0]>

voteContract({ describe, test }, 'plurality', () => plurality())

const allowed = ['A', 'B', 'C', 'tie']
const passing = (label: string) => pass(label, { score: categorical(label, allowed) })
const failing = (label: string) => fail(label, { score: categorical(label, allowed) })
const broken = error('broken', new Error('boom'))
const ballots = (...judgments: readonly Judgment[]): Ballot[] =>
  judgments.map((judgment, index) => ({ name: `j${index}`, judgment, weight: 1 }))
const [a, b, c, tie] = [passing('A'), failing('B'), failing('C'), failing('tie')] as const

describe('plurality', () => {
  const rows: readonly (readonly [string, PluralityOptions, readonly Judgment[], string, unknown])[] = [
    ['most say a category that passes', {}, [a, a, b, c], 'pass', 'A'],
    ['a plurality is no majority', {}, [a, a, b, c, tie], 'pass', 'A'],
    ['most say a category that fails', {}, [a, b, b], 'fail', 'B'],
    ['an even split fails', {}, [a, b], 'fail', false],
    ['… or what onTie says', { onTie: 'pass' }, [a, b], 'pass', true],
    ['… or what onTie says', { onTie: 'abstain' }, [a, b], 'abstain', undefined],
    ['a tie below the first does not matter', { onTie: 'pass' }, [b, b, a, tie], 'fail', 'B'],
    ['a tie of categories that fail fails', { onTie: 'pass' }, [b, tie], 'fail', false],
    ['passes says which pass', { passes: 'tie' }, [a, tie, tie], 'pass', 'tie'],
    ['… whatever the judges say of them', { passes: ['B'] }, [a, a, b], 'fail', 'A'],
    [
      '… and may be several: a tie among them passes',
      { passes: ['A', 'tie'] },
      [a, tie, failing('tie'), a],
      'pass',
      true,
    ],
    ['abstentions leave the vote', {}, [a, abstain('x'), abstain('y')], 'pass', 'A'],
    ['too few abstain', { minEligible: 2 }, [a, abstain('x')], 'abstain', undefined],
    ['without a label the status is the category', {}, [pass('x'), pass('y', { score: 0.9 }), fail('z')], 'pass', true],
    ['… beside labels too', { passes: ['A', 'pass'] }, [pass('x'), pass('y'), b], 'pass', 'pass'],
    ['an error that could change the outcome is an error', {}, [a, broken], 'error', undefined],
    ['… not where it could not', {}, [a, a, broken], 'pass', 'A'],
    ['… and a tie by an error is what onTie says', { onTie: 'pass' }, [a, broken], 'pass', 'A'],
    ['an error may make enough of too few', { minEligible: 2 }, [a, broken], 'error', undefined],
    ['errors may propagate', { onError: 'propagate' }, [a, a, a, broken], 'error', undefined],
    ['… be ignored', { onError: 'ignore' }, [a, broken, broken], 'pass', 'A'],
    ['… be fails, which join the strongest that fails', { onError: 'fail' }, [a, a, b, broken, broken], 'fail', 'B'],
  ]
  test.each(rows)('%s: %j', (_, options, said, status, value) => {
    const judgment = plurality(options)(ballots(...said))
    expect([judgment.status, judgment.score?.value]).toEqual([status, value])
  })
  test('counts categories, and keeps its options', () => {
    const { reasoning, score, metadata } = plurality({ passes: 'A' })(ballots(tie, a, tie, abstain('x')))
    expect(reasoning).toBe('A 1, tie 2; 1 of 3 passed, 1 abstained')
    expect(score).toEqual({ type: 'categorical', value: 'tie', allowed })
    expect(metadata.aggregation).toMatchObject({
      strategy: 'plurality',
      categories: { A: 1, tie: 2 },
      passCount: 1,
      failCount: 2,
      options: { passes: ['A'], onTie: 'fail', onError: 'propagate-if-decisive', minEligible: 1 },
    })
  })
  test('a category that no judge can say is a mistake, and not a fail of the agent', () => {
    expect(plurality({ passes: 'a' })(ballots(a, a))).toMatchObject({
      status: 'error',
      reasoning: 'plurality: "passes" names "a", but the judges that voted know A, B, C, tie',
    })
  })
  test.each([{ passes: [] }, { passes: 1 }, { onTie: 'A' }, { minEligible: 0 }, { threshold: 1 }])(
    'refuses %j',
    (options) => {
      expect(() => plurality(options as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    },
  )
})

const labelled = fc.constantFrom(...allowed).chain((label) => fc.constantFrom(passing(label), failing(label)))
const said = fc.oneof(
  { weight: 4, arbitrary: labelled },
  fc.constantFrom(pass('yes'), fail('no'), abstain('nothing'), broken),
)
const options = fc.record({
  passes: fc.constantFrom(undefined, ['A'], ['A', 'tie'], ['B', 'pass']),
  onTie: fc.constantFrom('pass', 'fail', 'abstain'),
  minEligible: fc.integer({ min: 1, max: 3 }),
}) as fc.Arbitrary<PluralityOptions>

describe('laws of plurality', () => {
  test('of passes and fails it is majority', () => {
    const plain = fc.array(fc.constantFrom(pass('yes'), fail('no'), abstain('nothing'), broken), { minLength: 1 })
    fc.assert(
      fc.property(plain, fc.constantFrom('pass', 'fail', 'abstain'), (judgments, onTie) => {
        const given = ballots(...judgments)
        expect(plurality({ onTie } as never)(given).status).toBe(majority({ onTie } as never)(given).status)
      }),
    )
  })
  test('the order of the ballots changes nothing but names of judges', () => {
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 6 }), options, (judgments, o) => {
        const [one, other] = [judgments, judgments.toReversed()].map((given) => plurality(o)(ballots(...given)))
        expect([one?.status, one?.score]).toEqual([other?.status, other?.score])
      }),
    )
  })
  test('it is an error exactly where the errors could change the outcome', () => {
    const anything = [...allowed.flatMap((label) => [passing(label), failing(label)]), pass('yes'), fail('no')]
    const others = [
      ...anything,
      passing('A'),
      abstain('nothing'),
      pass('new', { score: categorical('new', ['new', 'A']) }),
    ]
    const withOneOf = (judgments: readonly Judgment[]): readonly (readonly Judgment[])[] => {
      const at = judgments.indexOf(broken)
      return at < 0 ? [judgments] : others.flatMap((other) => withOneOf(judgments.with(at, other)))
    }
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 5 }), options, (judgments, o) => {
        fc.pre(
          judgments.filter((one) => one === broken).length <= 2 &&
            judgments.some((one) => one.score?.type === 'categorical'),
        )
        const vote = plurality(o)
        const outcomes = new Set(withOneOf(judgments).map((mended) => vote(ballots(...mended)).status))
        expect(vote(ballots(...judgments)).status).toBe(outcomes.size === 1 ? [...outcomes][0] : 'error')
      }),
      { numRuns: 400 },
    )
  })
})

describe('a jury in a jury', () => {
  const inner = (...judgments: readonly Judgment[]) =>
    jury({ judges: Object.fromEntries(judgments.map((one, index) => [`j${index}`, () => one])), vote: plurality() })
  const alsoPasses = passing('C')
  test('a category that rests on an error may be another further out', async () => {
    const open = inner(a, a, alsoPasses, broken)
    const { aggregated } = await open.vote({})
    expect(aggregated).toMatchObject({
      status: 'pass',
      score: { value: 'A' },
      metadata: { errorBounds: { low: 1, high: 1 } },
    })
    const outer = (first: Jury) =>
      jury({ judges: { first, second: () => a, third: () => b }, vote: plurality({ passes: 'A' }) }).vote({})
    expect((await outer(open)).aggregated).toMatchObject({
      status: 'error',
      reasoning: expect.stringContaining('first'),
    })
    expect((await outer(inner(a, a, a, alsoPasses, broken))).aggregated.status).toBe('pass')
  })
  test('its category counts further out, after JSON too', async () => {
    const outer = jury({ judges: { one: inner(a, a, b), two: inner(b, b), three: () => a }, vote: plurality() })
    const verdict = verdictFromJson(JSON.parse(JSON.stringify(await outer.vote({}))))
    expect(verdict.aggregated).toMatchObject({ status: 'pass', score: { value: 'A' } })
    const numeric = jury({ judges: { one: inner(a, a, b), two: inner(b, b) }, vote: average() })
    expect((await numeric.vote({})).aggregated.score?.value).toBe(0.5)
  })
})

describe('three answers', () => {
  const comparing = (...answers: readonly string[]) =>
    jury({
      judges: Object.fromEntries(
        answers.map((answer, index) => [
          `judge-${index}`,
          pairwise({ model: scriptedModel(`Answer: ${answer}`), swap: false, categories: true }),
        ]),
      ),
      vote: plurality({ passes: ['candidate', 'tie'], onTie: 'abstain' }),
    }).vote(aContext({ agentOutput: 'mine', expectedOutput: 'theirs' }))
  test.each([
    [['A', 'A', 'B', 'TIE'], 'pass', 'candidate'],
    [['B', 'A', 'B', 'TIE'], 'fail', 'baseline'],
    [['TIE', 'TIE', 'B'], 'pass', 'tie'],
    [['A', 'B'], 'abstain', undefined],
    [['A', 'A', 'hm', 'B'], 'pass', 'candidate'],
  ])('of a pairwise jury: %j', async (answers, status, value) => {
    const { aggregated } = await comparing(...answers)
    expect([aggregated.status, aggregated.score?.value]).toEqual([status, value])
  })
  test('labels of model judges', async () => {
    const judge = (answer: string) =>
      modelJudge({
        name: 'grade',
        prompt: () => userRequest('?'),
        model: scriptedModel(answer),
        classify: labels({ pass: ['good'], fail: ['poor', 'so-so'] }),
      })
    const { aggregated } = await jury({
      judges: { a: judge('good'), b: judge('so-so'), c: judge('so-so') },
      vote: plurality(),
    }).vote(aContext())
    expect(aggregated).toMatchObject({ status: 'fail', score: { value: 'so-so', allowed: ['good', 'poor', 'so-so'] } })
  })
  test('and a unanimous jury of all kinds', async () => {
    const { aggregated } = await jury({ judges: { a: () => a, b: () => true }, vote: consensus() }).vote({})
    expect(aggregated.status).toBe('pass')
  })
})
