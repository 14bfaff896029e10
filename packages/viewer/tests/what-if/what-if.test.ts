import {
  abstain,
  average,
  cascade,
  categorical,
  consensus,
  error,
  fail,
  fileExists,
  type Judgment,
  jury,
  majority,
  median,
  numerical,
  pass,
  plurality,
  scored,
  type Verdict,
  type Vote,
  verdictFromJson,
  weightedAverage,
} from '@jurist/core'
import { matchesExpected, similarTo, within } from '@jurist/core/answers'
import { declared } from '@jurist/core/confidence'
import { joinedJury, voteDescriptionOf, votes } from '@jurist/core/internal'
import { memoryWorkspace } from '@jurist/core/testing'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ballotsDocument } from '../../src/answers/ballots.js'
import { configText } from '../../src/what-if/config-text.js'
import { changedTrials, thresholdCurve, thresholdJuries } from '../../src/what-if/revote.js'
import { juriesOf, settingsFrom, voteNames } from '../../src/what-if/settings.js'

/** A run of trials with these verdicts. */
function runOf(verdicts: readonly (Verdict | null)[]) {
  const items = verdicts.map((verdict, index) => {
    const status = verdict?.aggregated.status
    const passed = status === 'pass' ? true : status === 'fail' ? false : null
    return anItem({ itemId: `item-${index}`, verdict, passed, judged: status ?? 'not-judged' })
  })
  return ballotsDocument(aResult({ items }))
}

const workspace = memoryWorkspace({ 'a.txt': 'a' })
const measured = (...scores: readonly number[]) =>
  jury({
    judges: Object.fromEntries(
      scores.map((score, index) => [
        `judge-${index}`,
        { judge: async () => scored(numerical(score), { passingAt: 0.5 }), weight: index + 1 },
      ]),
    ),
    vote: average({ threshold: 0.6 }),
  }).vote({ workspace })

const tried = (ballots: ReturnType<typeof runOf>, query: string) =>
  changedTrials(ballots, settingsFrom(new URLSearchParams(query)))

describe('what if a jury', () => {
  test('had voted as it did: nothing changes', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9), null])
    expect(await tried(ballots, '')).toEqual({ changed: [], passes: 1, decided: 2, unknown: 0 })
  })

  test('had another threshold', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9)])
    const { changed, passes } = await tried(ballots, 'threshold:=0.5')
    expect(changed).toEqual([{ itemId: 'item-0', repetition: 1, from: false, to: 'pass' }])
    expect(passes).toBe(2)
  })

  test('had another vote, or other weights', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9)])
    expect((await tried(ballots, 'vote:=consensus')).changed.map(({ itemId, to }) => [itemId, to])).toEqual([
      ['item-1', 'fail'],
    ])
    const weighed = 'vote:=weightedAverage&threshold:=0.6&weight:/judge-0=9&weight:/judge-1=1'
    expect((await tried(ballots, weighed)).changed.map(({ itemId, to }) => [itemId, to])).toEqual([
      ['item-0', 'pass'],
      ['item-1', 'fail'],
    ])
  })

  test('is joined by the judges of an item: whatever the vote, they must pass too', async () => {
    const own = jury({ judges: { a: () => pass('yes'), b: () => pass('yes'), c: () => fail('no') }, vote: consensus() })
    const joined = (status: 'pass' | 'fail') =>
      joinedJury(own, {
        name: 'item',
        jury: jury({ judges: { mine: () => (status === 'pass' ? pass('y') : fail('n')) } }),
      })
    const verdicts = await Promise.all([joined('pass').vote({ workspace }), joined('fail').vote({ workspace })])
    const ballots = runOf(verdicts)
    expect(await tried(ballots, '')).toMatchObject({ changed: [], passes: 0, decided: 2 })
    // 2 of 3 pass the majority; the item of the second trial still fails it.
    expect((await tried(ballots, 'vote:=majority')).changed).toEqual([
      { itemId: 'item-0', repetition: 1, from: false, to: 'pass' },
    ])
  })

  test('keeps its threshold when only errors are to count otherwise', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9)])
    expect((await tried(ballots, 'onError:=ignore')).changed).toEqual([])
  })
})

describe('what if a cascade', () => {
  const run = (first: boolean, last: boolean) =>
    cascade([
      {
        name: 'gate',
        policy: 'reject-on-any-fail',
        jury: jury({
          judges: { a: async () => (first ? pass('a') : fail('a')), b: fileExists('a.txt') },
          vote: consensus(),
        }),
      },
      { name: 'end', policy: 'final', jury: jury({ judges: { c: async () => (last ? pass('c') : fail('c')) } }) },
    ]).vote({ workspace })

  test('is known by its tiers', async () => {
    const ballots = runOf([await run(true, true), await run(false, true)])
    expect(juriesOf(ballots).map(({ name, policy, members }) => [name, policy, [...members.keys()]])).toEqual([
      ['gate', 'reject-on-any-fail', ['a', 'b']],
      ['end', 'final', ['c']],
    ])
  })

  test('had a gate that opens: what it needs and did not run is unknown', async () => {
    const ballots = runOf([await run(true, false), await run(false, true), await run(true, true)])
    expect(await tried(ballots, 'policy:gate=accept-on-all-pass')).toEqual({
      changed: [
        { itemId: 'item-0', repetition: 1, from: false, to: 'pass' },
        { itemId: 'item-1', repetition: 1, from: false, to: 'unknown' },
      ],
      passes: 2,
      decided: 2,
      unknown: 1,
    })
  })

  test('had a gate that decides either way', async () => {
    const ballots = runOf([await run(true, false), await run(false, true), await run(true, true)])
    expect(await tried(ballots, 'policy:gate=accept-when-decided')).toEqual({
      changed: [{ itemId: 'item-0', repetition: 1, from: false, to: 'pass' }],
      passes: 2,
      decided: 3,
      unknown: 0,
    })
  })

  test.each(['accept-when-decided', 'reject-on-any-fail'] as const)(
    '%s that hands on errors still does',
    async (policy) => {
      const made = (said: Judgment) =>
        cascade([
          { name: 'gate', policy, onError: 'escalate', jury: jury({ judges: { a: () => said }, vote: average() }) },
          {
            name: 'end',
            policy: 'final',
            jury: jury({ judges: { c: () => pass('c', { score: 0.7 }) }, vote: average() }),
          },
        ]).vote({ workspace })
      const ballots = runOf([await made(error('broken')), await made(abstain('unsure'))])
      const { changed, passes } = await tried(ballots, 'threshold:end=0.8')
      expect(changed.map(({ from, to }) => [from, to])).toEqual([
        [true, 'fail'],
        [true, 'fail'],
      ])
      expect(passes).toBe(0)
    },
  )

  test('rejects on any fail, whatever the gate votes', async () => {
    const ballots = runOf([await run(false, true)])
    expect((await tried(ballots, 'vote:gate=majority')).changed).toEqual([])
  })
})

const makers = { majority, plurality, consensus, average, weightedAverage, median } as const
type Name = keyof typeof makers
const numeric = { threshold: fc.constantFrom(0.25, 0.5, 0.6, 1), minEligible: fc.integer({ min: 1, max: 3 }) }
const onErrors = ['propagate-if-decisive', 'propagate', 'fail', 'abstain', 'ignore'] as const
const own = {
  majority: fc.record({ onTie: fc.constantFrom('pass', 'fail', 'abstain') }),
  plurality: fc.record(
    {
      passes: fc.constantFrom(['A'], ['B', 'pass']),
      onTie: fc.constantFrom('pass', 'fail', 'abstain'),
      minEligible: fc.integer({ min: 1, max: 3 }),
    },
    { requiredKeys: ['onTie', 'minEligible'] },
  ),
  consensus: fc.record({ onMixed: fc.constantFrom('fail', 'abstain') }),
  average: fc.record(numeric),
  weightedAverage: fc.record(numeric),
  median: fc.record(numeric),
} as const
type Options = Readonly<Record<string, unknown>>
const someVote = fc
  .constantFrom(...(Object.keys(makers) as Name[]))
  .chain((name) =>
    fc.record({
      name: fc.constant(name),
      options: own[name] as fc.Arbitrary<Options>,
      onError: fc.constantFrom(...onErrors),
    }),
  )
  .map(({ name, options, onError }) => ({ name, options: { ...options, onError } as Options }))
const ballots = fc.array(
  fc.oneof(
    fc.constantFrom(0, 0.5, 0.6, 1).map((score): Judgment => scored(numerical(score), { passingAt: 0.5 })),
    fc.constantFrom('A', 'B', 'C').map((label) => pass(label, { score: categorical(label, ['A', 'B', 'C']) })),
    fc.constantFrom<Judgment>(abstain('a'), error('e'), error('e')),
  ),
  { minLength: 1, maxLength: 4 },
)
const votedOn = (vote: Vote, said: readonly Judgment[]) =>
  jury({ judges: Object.fromEntries(said.map((one, index) => [`j${index}`, () => one])), vote }).vote({ workspace })
const outcome = ({ aggregated: { status } }: Verdict) => (status === 'pass' || status === 'fail' ? status : 'undecided')

/** What a judge says: a status, and how sure it is. */
interface Opinion {
  readonly status: 'pass' | 'fail' | 'abstain' | 'error'
  readonly confidence: number
}

describe('what if a tier that decides where it is sure', () => {
  const judging =
    ({ status, confidence }: Opinion) =>
    async () => {
      if (status === 'abstain') return abstain('unsure')
      if (status === 'error') return error('broken')
      return (status === 'pass' ? pass : fail)(status, { metadata: { confidence } })
    }
  const sure = (small: Opinion, large: Opinion, threshold: number, last: Opinion['status']) =>
    cascade([
      { name: 'small', policy: 'decide-when-confident', threshold, jury: judging(small), confidence: declared() },
      { name: 'large', policy: 'decide-when-confident', threshold, jury: jury({ judges: { large: judging(large) } }) },
      { name: 'end', policy: 'final', jury: judging({ status: last, confidence: 1 }) },
    ]).vote({ workspace })
  const passing = (confidence: number): Opinion => ({ status: 'pass', confidence })
  const stored = async () =>
    runOf([
      await sure(passing(0.9), passing(0.5), 0.8, 'fail'),
      await sure(passing(0.6), passing(0.5), 0.8, 'fail'),
      await sure(passing(0.4), passing(0.5), 0.8, 'fail'),
    ])

  test.each<[string, readonly (readonly [string, string])[]]>([
    ['', []],
    ['confidence:small=0.8', []],
    ['confidence:small=0.6', [['item-1', 'pass']]],
    [
      'confidence:large=0.5',
      [
        ['item-1', 'pass'],
        ['item-2', 'pass'],
      ],
    ],
    ['confidence:small=0.95', [['item-0', 'unknown']]],
    ['confidence:small=2', []],
    ['confidence:small=', []],
    [
      'policy:small=accept-when-decided',
      [
        ['item-1', 'pass'],
        ['item-2', 'pass'],
      ],
    ],
    [
      'policy:small=accept-on-all-pass&confidence:small=1',
      [
        ['item-1', 'pass'],
        ['item-2', 'pass'],
      ],
    ],
    ['policy:small=reject-on-any-fail', [['item-0', 'unknown']]],
    [
      'vote:small=consensus',
      [
        ['item-0', 'unknown'],
        ['item-1', 'unknown'],
        ['item-2', 'unknown'],
      ],
    ],
  ])('%j', async (query, expected) => {
    const { changed } = await tried(await stored(), query)
    expect(changed.map(({ itemId, to }) => [itemId, to])).toEqual(expected)
  })

  test('says its threshold, where a verdict stores it', async () => {
    expect(juriesOf(await stored()).map(({ name, confidence }) => [name, confidence])).toEqual([
      ['small', 0.8],
      ['large', 0.8],
      ['end', undefined],
    ])
    const [small] = juriesOf(runOf([await sure(passing(0.9), passing(0.5), 0.8, 'fail')]))
    expect(small?.confidence).toBeUndefined()
  })

  test('has no curve of the threshold of its vote, and its setting is a threshold in a config', async () => {
    const voting = jury({ judges: { a: judging(passing(0.9)), b: judging(passing(0.9)) }, vote: average() })
    const verdict = await cascade([
      { name: 'gate', policy: 'decide-when-confident', threshold: 0.8, jury: voting },
      { name: 'end', policy: 'final', jury: judging(passing(1)) },
    ]).vote({ workspace })
    const ballots = runOf([verdict])
    const settingsOf = (query: string) => settingsFrom(new URLSearchParams(query))
    expect(thresholdJuries(ballots, settingsOf(''))).toEqual([])
    expect(thresholdJuries(ballots, settingsOf('policy:gate=accept-when-decided'))).toEqual(['gate'])
    expect(configText(juriesOf(ballots), settingsOf('confidence:gate=0.7'))).toEqual({
      yaml: '# tier gate\nthreshold: 0.7',
      typescript: '// tier gate\nthreshold: 0.7,',
    })
  })

  const opinion = fc.record({
    status: fc.constantFrom('pass', 'fail', 'abstain', 'error'),
    confidence: fc.constantFrom(0, 0.4, 0.7, 1),
  })
  const threshold = fc.constantFrom(0, 0.4, 0.6, 0.7, 1)
  test('with another threshold decides what it would have decided, unless a tier is needed that did not run', async () => {
    await fc.assert(
      fc.asyncProperty(opinion, opinion, fc.constantFrom('pass', 'fail'), threshold, threshold, async (...given) => {
        const [small, large, last, before, after] = given
        const [was, live] = [await sure(small, large, before, last), await sure(small, large, after, last)]
        const isKnown = Object.keys(live.subVerdicts).every((tier) => Object.hasOwn(was.subVerdicts, tier))
        const expected = isKnown ? outcome(live) : 'unknown'
        const ballots = runOf([verdictFromJson(JSON.parse(JSON.stringify(was)))])
        const { changed } = await tried(ballots, `confidence:small=${after}&confidence:large=${after}`)
        expect(changed.map(({ to }) => to)).toEqual(expected === outcome(was) ? [] : [expected])
      }),
      { numRuns: 200 },
    )
  })
})

test('changing one setting gives what the jury would have said with that one changed, and all others kept', async () => {
  await fc.assert(
    fc.asyncProperty(
      someVote,
      ballots,
      fc.constantFrom(...onErrors),
      fc.constantFrom(0.25, 0.5, 0.6, 1),
      fc.boolean(),
      async ({ name, options }, said, onError, threshold, isThreshold) => {
        const make = makers[name] as (options: object) => Vote
        const stored = await votedOn(make(options), said)
        const change = isThreshold && 'threshold' in options ? { threshold } : { onError }
        const query = 'threshold' in change ? `threshold:=${threshold}` : `onError:=${onError}`
        const live = await votedOn(make({ ...options, ...change }), said)
        const { changed } = await tried(runOf([verdictFromJson(JSON.parse(JSON.stringify(stored)))]), query)
        expect(changed.map(({ to }) => to)).toEqual(outcome(live) === outcome(stored) ? [] : [outcome(live)])
      },
    ),
    { numRuns: 500 },
  )
})

describe('what if starts from what the run used', () => {
  const tie = [pass('a'), fail('b')]
  const three = ['A', 'B', 'C'].map((label) => fail(label, { score: categorical(label, ['A', 'B', 'C']) }))
  test.each<[string, Vote, readonly Judgment[], string]>([
    ['onTie', majority({ onTie: 'pass' }), tie, 'onError:=ignore'],
    ['passes', plurality({ passes: 'A', onTie: 'pass' }), three, 'onError:=ignore'],
    ['the plurality that was, chosen again', plurality({ passes: ['A', 'B'] }), three, 'vote:=plurality'],
    ['onMixed', consensus({ onMixed: 'abstain' }), tie, 'onError:=fail'],
    ['minEligible', average({ minEligible: 3 }), tie, 'threshold:=0.1'],
    ['the threshold that was, typed again', average({ threshold: 0.6 }), tie, 'threshold:=0.6'],
    ['the vote that was, chosen again', majority({ onTie: 'pass' }), tie, 'vote:=majority'],
  ])('and keeps %s', async (_, vote, said, query) => {
    expect((await tried(runOf([await votedOn(vote, said)]), query)).changed).toEqual([])
  })
  test('another vote on a number keeps the threshold', async () => {
    const verdict = await votedOn(average({ threshold: 0.9 }), [pass('a', { score: 0.8 })])
    expect((await tried(runOf([verdict]), 'vote:=median')).changed).toEqual([])
  })
  test('and says so: the options of the run', async () => {
    const [found] = juriesOf(runOf([await measured(0.9, 0.2)]))
    expect(found?.options).toEqual({ threshold: 0.6, onError: 'propagate-if-decisive', minEligible: 1 })
    expect(found?.isRepeatable).toBe(true)
  })
})

describe('what if a verdict does not store the options of its vote', () => {
  const withoutOptions = (verdict: Verdict) => {
    const json = JSON.parse(JSON.stringify(verdict)) as { aggregated: { metadata: { aggregation: object } } }
    const { options: _, ...aggregation } = json.aggregated.metadata.aggregation as { options?: unknown }
    return verdictFromJson({ ...json, aggregated: { ...json.aggregated, metadata: { aggregation } } })
  }
  const older = async () => runOf([withoutOptions(await measured(0.9, 0.5)), withoutOptions(await measured(0.5, 0.5))])

  test('an outcome that depends on them is unknown', async () => {
    expect(juriesOf(await older())).toMatchObject([
      { options: { onError: 'propagate-if-decisive' }, isRepeatable: false },
    ])
    expect(await tried(await older(), 'onError:=ignore')).toMatchObject({ passes: 0, decided: 0, unknown: 2 })
  })
  test('another vote is counted with its own options', async () => {
    expect(await tried(await older(), 'vote:=average&threshold:=0.6')).toMatchObject({
      passes: 1,
      decided: 2,
      unknown: 0,
    })
  })
  test('nothing changes without settings', async () => {
    expect((await tried(await older(), '')).changed).toEqual([])
  })
})

test('a vote that is not built in cannot be repeated, but another vote can be tried', async () => {
  const ballots = runOf([
    await votedOn(
      function mine() {
        return pass('mine')
      },
      [fail('a')],
    ),
  ])
  expect(await tried(ballots, 'threshold:=0.5')).toMatchObject({ unknown: 1 })
  expect((await tried(ballots, 'vote:=majority')).changed.map(({ to }) => to)).toEqual(['fail'])
})

test('every built-in vote can be tried, once', () => {
  const builtIn = new Set(Object.values(votes).map((make) => voteDescriptionOf(make)?.name))
  expect([...voteNames].sort()).toEqual([...builtIn].sort())
  for (const name of voteNames)
    expect(settingsFrom(new URLSearchParams({ 'vote:': name }))).toEqual(new Map([['', { vote: name }]]))
})

test('the options of votes are read by their rules', () => {
  const settings = settingsFrom(
    new URLSearchParams('passes:a=A, B&passes:b=A&onTie:a=maybe&onTie:b=pass&minEligible:a=1.5&minEligible:b=2'),
  )
  expect([...settings]).toEqual([
    ['a', { options: { passes: ['A', 'B'] } }],
    ['b', { options: { passes: 'A', onTie: 'pass', minEligible: 2 } }],
  ])
})

test('what an address says is read with care', () => {
  const settings = settingsFrom(
    new URLSearchParams('vote:=dictator&threshold:=2&weight:a/b=-1&weight:a/c=2&policy:a=final&onError:a=ignore&q=x'),
  )
  expect([...settings]).toEqual([['a', { weights: { c: 2 }, options: { onError: 'ignore' } }]])
})

test('ten thousand different verdicts are voted on again', async () => {
  const verdicts = await Promise.all(
    Array.from({ length: 10_000 }, (_, index) => measured(index / 10_000, 1 - index / 20_000)),
  )
  const ballots = runOf(verdicts)
  const { changed } = await tried(ballots, 'threshold:=0.7')
  expect(changed.length).toBeGreaterThan(1_000)
})

describe('the curve of a threshold', () => {
  test('has the figures that each threshold gives', async () => {
    const verdicts = await Promise.all([0.1, 0.35, 0.62, 0.9].map((score) => measured(score, score)))
    const ballots = runOf(verdicts)
    expect(thresholdJuries(ballots, new Map())).toEqual([''])
    const points = await thresholdCurve(ballots, new Map(), '')
    expect(points.map(({ threshold }) => threshold)).toEqual(Array.from({ length: 21 }, (_, step) => step / 20))
    for (const { threshold, passes, decided } of points)
      expect(await tried(ballots, `threshold:=${threshold}`)).toMatchObject({ passes, decided })
    const passes = points.map((point) => point.passes)
    expect(passes).toEqual(passes.toSorted((a, b) => b - a))
    expect([passes[0], passes.at(-1)]).toEqual([4, 0])
  })

  test('moves with judges of answers, whose scores are rates', async () => {
    const judged = (agentOutput: string) =>
      jury({
        judges: {
          list: matchesExpected({ by: 'list' }),
          words: similarTo({ by: 'token-f1', threshold: 1 }),
          quick: within({ ms: 100 }),
        },
        vote: average({ threshold: 0.9 }),
      }).vote({ agentOutput, expectedOutput: 'red, green', executionMs: 200 })
    const ballots = runOf([await judged('red, green'), await judged('red'), await judged('blue')])
    const points = await thresholdCurve(ballots, new Map(), '')
    // Means: (1 + 1 + 0.5) / 3, (2/3 + 2/3 + 0.5) / 3 and 0.5 / 3.
    const passesAt = (wanted: number) => points.find(({ threshold }) => threshold === wanted)?.passes
    expect([0.15, 0.5, 0.8, 0.9].map(passesAt)).toEqual([3, 2, 1, 0])
  })

  test('is for votes with a threshold only, also those that are chosen', async () => {
    const ballots = runOf([await jury({ judges: { a: fileExists('a.txt') } }).vote({ workspace })])
    expect(thresholdJuries(ballots, new Map())).toEqual([])
    expect(thresholdJuries(ballots, settingsFrom(new URLSearchParams('vote:=average')))).toEqual([''])
  })
})

describe('settings as a config', () => {
  test('name the vote with all its options, policies and weights', async () => {
    const juries = juriesOf(runOf([await measured(0.9, 0.2)]))
    expect(configText(juries, new Map())).toBe(undefined)
    const text = configText(juries, settingsFrom(new URLSearchParams('threshold:=0.7&weight:/judge-0=3')))
    expect(text?.yaml.split('\n')[0]).toMatch(/^vote: \{ type: "average", .*threshold: 0\.7/)
    expect(text?.typescript.split('\n')[0]).toMatch(/^vote: average\(\{ .*threshold: 0\.7.* \}\),$/)
    expect(text?.yaml).toContain('judges.judge-0: weight: 3')
  })

  test('are valid in both languages, for every vote', async () => {
    const juries = juriesOf(runOf([await measured(0.9, 0.2)]))
    for (const name of voteNames) {
      const { yaml = '', typescript = '' } = configText(juries, new Map([['', { vote: name }]])) ?? {}
      const { vote } = parse(yaml)
      const { type, ...options } = vote
      expect(type).toBe(name)
      const made = new Function(name, `return { ${typescript} }`)((given: unknown) => given ?? {})
      expect(made.vote).toEqual(options)
      expect(() => votes[name]?.(options)).not.toThrow()
    }
  })
})
