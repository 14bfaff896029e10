import type { Ballot, Judge, Jury } from '@jurist/core'
import {
  abstain,
  average,
  consensus,
  error,
  explain,
  fail,
  flatten,
  infoOf,
  jury,
  juryOf,
  majority,
  named,
  pass,
  runJudge,
  verdictFromJson,
  withInfo,
} from '@jurist/core'
import { isJury } from '@jurist/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const yes: Judge = () => true
const no: Judge = () => false
const code = (wanted: string) => expect.objectContaining({ code: wanted })
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a jury of one says what its judge says, where it agrees; a jury of more counts', async () => {
  const said = async (of: Jury) => (await of.vote({})).aggregated.reasoning
  expect(await said(jury({ judges: { a: () => fail('README.md is missing') } }))).toBe('README.md is missing')
  expect(await said(jury({ judges: { a: () => pass('fine') } }))).toBe('fine')
  expect(await said(jury({ judges: { a: () => abstain('no output') } }))).toBe('no output')
  expect(await said(jury({ judges: { a: () => fail('a'), b: () => pass('b') } }))).toBe('1 of 2 passed')
  const strict = average({ threshold: 0.9 })
  const close = () => pass('nearly', { score: 0.8 })
  expect(await said(jury({ judges: { a: close }, vote: strict }))).toBe('average 0.8 of 1, threshold 0.9')
  const cast = await jury({ judges: { a: () => fail('bad') } }).vote({})
  expect(cast.aggregated.metadata).toMatchObject({ aggregation: { failCount: 1, inputCount: 1 } })
})

describe('building a jury', () => {
  test.each([
    ['no seats', { judges: {} }, 'judges-empty'],
    ['a member that is not a judge', { judges: { a: 'x' } }, 'judge-invalid'],
    ['a seat that is a list', { judges: { a: [] } }, 'judge-invalid'],
    ['a seat that is something else', { judges: { a: { foo: 1 } } }, 'judge-invalid'],
    ['a weighted seat without judge', { judges: { a: { weight: 1 } } }, 'judge-invalid'],
    ['a whole number as name', { judges: { 1: yes } }, 'name-invalid'],
    ['a negative weight', { judges: { a: { judge: yes, weight: -1 } } }, 'weight-invalid'],
    ['an infinite weight', { judges: { a: { judge: yes, weight: Number.POSITIVE_INFINITY } } }, 'weight-invalid'],
    ['weights that are all zero', { judges: { a: { judge: yes, weight: 0 } } }, 'weight-invalid'],
    ['a vote that is not a function', { judges: { a: yes }, vote: 'majority' }, 'option-invalid'],
    ['a concurrency of 0', { judges: { a: yes }, concurrency: 0 }, 'option-invalid'],
    ['a fractional concurrency', { judges: { a: yes }, concurrency: 1.5 }, 'option-invalid'],
    ['a limit of 0', { judges: { a: yes }, timeoutMs: 0 }, 'option-invalid'],
    ['an unknown option', { judges: { a: yes }, votes: majority() }, 'option-invalid'],
  ])('refuses %s', (_, options, expected) => {
    expect(() => jury(options as never)).toThrow(code(expected))
  })

  test.each([
    ['the name of a vote', () => jury({ judges: { a: yes }, vote: 'majority' as never }), 'Write majority().'],
    [
      'in kebab case',
      () => jury({ judges: { a: yes }, vote: 'weighted-average' as never }),
      'Write weightedAverage().',
    ],
    ['a vote that was not called', () => jury({ judges: { a: yes }, vote: majority as never }), 'Write majority().'],
    ['for juryOf', () => juryOf('consensus' as never, yes), 'Write consensus().'],
    [
      'an unknown name',
      () => jury({ judges: { a: yes }, vote: 'most' as never }),
      'Write one of majority(), plurality()',
    ],
    ['an array of judges', () => jury({ judges: [yes] as never }), 'Give each judge a name'],
    ['an array for juryOf', () => juryOf(majority(), [yes] as never), 'Pass its judges one by one'],
    ['a member', () => jury({ judges: { a: 'file' as never } }), 'the member "a": "file" is not a judge'],
  ])('says what to write instead of %s', (_, make, remedy) => {
    expect(make).toThrow(remedy)
  })
  test.each([[null], [true], [5n], ['1'], [Symbol('s')]])(
    'refuses the weight %s, which is not a positive number',
    (weight) => {
      const judges = { a: { judge: yes, weight: weight as never } }
      expect(() => jury({ judges })).toThrow(code('weight-invalid'))
    },
  )
  test('a jury is a judge, and is known as one', async () => {
    const both = jury({ judges: { a: yes, b: no } })
    expect([isJury(both), isJury(yes)]).toEqual([true, false])
    expect((await runJudge(both, {})).status).toBe('fail')
    expect(infoOf(both)).toMatchObject({ name: 'jury', kind: 'deterministic' })
    expect(infoOf(jury({ judges: { a: yes, m: withInfo(yes, { name: 'm', kind: 'model' }) } })).kind).toBe('hybrid')
  })
  test('naming keeps the vote and the outline', async () => {
    const renamed = named(jury({ judges: { a: { judge: yes, weight: 2 } }, vote: majority() }), 'rules')
    expect((await renamed.vote({})).aggregated.status).toBe('pass')
    expect(infoOf(renamed).name).toBe('rules')
    expect(renamed.parts).toMatchObject({
      vote: { name: 'majority', options: { onTie: 'fail', onError: 'propagate-if-decisive' } },
      members: [{ name: 'a', weight: 2 }],
    })
  })
  test("a vote of one's own is described by its name; a jury of one's own has no outline", () => {
    const mine = (ballots: readonly Ballot[]) => (ballots.length > 1 ? pass('enough') : fail('too few'))
    expect(jury({ judges: { a: yes }, vote: mine }).parts?.vote).toEqual({ name: 'mine' })
    const own = Object.assign(async () => pass('x'), { vote: async () => jury({ judges: { a: yes } }).vote({}) })
    expect((own as Jury).parts).toBeUndefined()
  })
  test('juryOf names seats by their judges', async () => {
    const a = named(yes, 'A')
    const names = Object.keys(
      (
        await juryOf(majority(), a, a, named(yes, 'A-2'), named(yes, 'x'.repeat(64)), named(yes, 'x'.repeat(64))).vote(
          {},
        )
      ).individual,
    )
    expect(names).toEqual(['A', 'A-2', 'A-2-2', 'x'.repeat(64), `${'x'.repeat(62)}-2`])
    expect(() => juryOf(majority())).toThrow(code('judges-empty'))
  })
})

describe('running a jury', () => {
  test('seats keep their order whatever finishes first', async () => {
    const after = (ms: number) => async () => {
      await wait(ms)
      return true
    }
    const verdict = await jury({ judges: { slow: after(30), quick: after(1), now: yes } }).vote({})
    expect([Object.keys(verdict.individual), Object.keys(verdict.weights)]).toEqual([
      ['slow', 'quick', 'now'],
      ['slow', 'quick', 'now'],
    ])
  })
  test('at most `concurrency` at a time, started in order', async () => {
    let running = 0
    let most = 0
    const started: string[] = []
    const seat =
      (name: string): Judge =>
      async () => {
        started.push(name)
        most = Math.max(most, ++running)
        await wait(5)
        running--
        return true
      }
    await jury({ judges: { a: seat('a'), b: seat('b'), c: seat('c'), d: seat('d') }, concurrency: 2 }).vote({})
    expect([most, started]).toEqual([2, ['a', 'b', 'c', 'd']])
  })
  test('a seat that throws stops no other', async () => {
    const broken: Judge = () => {
      throw new Error('boom')
    }
    const verdict = await jury({ judges: { broken, fine: yes }, vote: majority({ onError: 'ignore' }) }).vote({})
    expect([verdict.individual.broken?.status, verdict.aggregated.status]).toEqual(['error', 'pass'])
  })
  test('each seat has its own time', async () => {
    const never: Judge = () => new Promise(() => undefined)
    const verdict = await jury({ judges: { never, fine: yes }, timeoutMs: 20 }).vote({})
    expect(verdict.individual.never).toMatchObject({ status: 'error', failure: { code: 'judge-timeout' } })
    expect(verdict.individual.fine?.status).toBe('pass')
  })
  test('an abort makes seats that did not start errors', async () => {
    const stop = new AbortController()
    const first: Judge = () => {
      stop.abort()
      return true
    }
    const verdict = await jury({ judges: { first, second: yes }, concurrency: 1 }).vote({ signal: stop.signal })
    expect(verdict.individual.second).toMatchObject({ status: 'error', failure: { code: 'aborted' } })
  })
  test('a vote that throws, or gives no judgment, is an error; the seats are kept', async () => {
    const votes = [
      () => undefined as never,
      () => {
        throw new Error('no')
      },
      (async () => pass('late')) as never,
      () => true as never,
      () => false as never,
      () => Promise.reject(new Error('late')) as never,
    ]
    for (const vote of votes) {
      const verdict = await jury({ judges: { a: yes }, vote }).vote({})
      expect([verdict.aggregated.status, verdict.individual.a?.status]).toEqual(['error', 'pass'])
    }
  })
  test('a jury in a seat is asked once, and its verdict kept', async () => {
    let asked = 0
    const counting: Judge = () => Boolean(++asked)
    const inner = jury({ judges: { counting } })
    const verdict = await jury({ judges: { inner, plain: yes } }).vote({})
    expect([asked, Object.keys(verdict.subVerdicts)]).toEqual([1, ['inner']])
    expect(verdict.individual.inner).toBe(verdict.subVerdicts.inner?.aggregated)
  })
  test('a jury in a seat whose vote rejects is an error without a verdict', async () => {
    const rejecting = Object.assign(async () => pass('x'), { vote: async () => Promise.reject(new Error('closed')) })
    const verdict = await jury({ judges: { rejecting: rejecting as Jury, plain: yes } }).vote({})
    expect([verdict.individual.rejecting?.status, verdict.subVerdicts]).toEqual(['error', {}])
  })
  test('costs count a sub-verdict instead of its aggregate', async () => {
    const paid: Judge = () => pass('p', { costUsd: 0.5, usage: { inputTokens: 1, outputTokens: 2 } })
    const verdict = await jury({
      judges: { inner: jury({ judges: { a: paid, b: paid } }), own: paid, free: yes },
    }).vote({})
    expect([verdict.costUsd, verdict.usage]).toEqual([1.5, { inputTokens: 3, outputTokens: 6 }])
    expect('costUsd' in (await jury({ judges: { free: yes } }).vote({}))).toBe(false)
  })
})

describe('reading verdicts back', () => {
  const verdict = () => jury({ judges: { 'a/b': jury({ judges: { x: yes } }), c: no }, vote: average() }).vote({})
  test('keys are in order, and the whole survives JSON', async () => {
    const one = await verdict()
    expect(Object.keys(one)).toEqual(['aggregated', 'individual', 'weights', 'subVerdicts', 'usage', 'elapsedMs'])
    expect(verdictFromJson(JSON.parse(JSON.stringify(one)))).toStrictEqual(one)
  })
  test('the order of weights is free', async () => {
    const one = JSON.parse(JSON.stringify(await verdict()))
    const weights = Object.fromEntries(Object.entries(one.weights).reverse())
    expect(Object.keys(verdictFromJson({ ...one, weights }).weights)).toEqual(['c', 'a/b'])
  })
  test.each([
    ['', () => null],
    [
      '/individual/c/score',
      (v: never) =>
        patch(v, ['individual', 'c', 'score'], { type: 'categorical', value: 'a', allowed: ['a'], scale: null }),
    ],
    ['/individual/a~1b/checks', (v: never) => patch(v, ['individual', 'a/b', 'checks'], 1)],
    [
      '/subVerdicts/a~1b/aggregated/status',
      (v: never) => patch(v, ['subVerdicts', 'a/b', 'aggregated', 'status'], 'x'),
    ],
    ['/weights', (v: never) => patch(v, ['weights', 'd'], 1)],
    ['/weights/c', (v: never) => patch(v, ['weights', 'c'], -1)],
    ['/individual/1', (v: never) => patch(v, ['individual', '1'], {})],
    ['/elapsedMs', (v: never) => patch(v, ['elapsedMs'], 'long')],
    [
      '/subVerdicts/zz',
      (v: never) => patch(v, ['subVerdicts', 'zz'], (v as { subVerdicts: object }).subVerdicts['a/b' as never]),
    ],
    ['/tiers/0/policy', (v: never) => patch(v, ['tiers'], [{ name: 't', policy: 'p' }])],
  ])('a fault at %s is named', async (path, change) => {
    const value = change(JSON.parse(JSON.stringify(await verdict())) as never)
    expect(() => verdictFromJson(value)).toThrow(
      expect.objectContaining({ code: 'verdict-invalid', details: { path } }),
    )
  })
})

function patch(value: object, path: readonly string[], to: unknown): object {
  const last = path.at(-1) as string
  const parent = path.slice(0, -1).reduce<Record<string, unknown>>((at, key) => at[key] as never, value as never)
  parent[last] = to
  return value
}

describe('flatten and explain', () => {
  test('rows are in preorder, with escaped paths and weights', async () => {
    const inner = jury({ judges: { 'x~y': yes } })
    const rows = flatten(await jury({ judges: { 'a/b': inner, c: { judge: no, weight: 3 } } }).vote({}))
    expect(rows.map(({ path, name, kind, weight }) => [path, name, kind, weight])).toEqual([
      ['', '', 'verdict', undefined],
      ['/a~1b', 'a/b', 'verdict', 1],
      ['/a~1b/x~0y', 'x~y', 'judge', 1],
      ['/c', 'c', 'judge', 3],
    ])
  })
  test('explain names what did not pass, its failed checks and their places', async () => {
    const build: Judge = () =>
      fail('2 problems', {
        checks: [
          { name: 'types', passed: false, message: 'no overload\nmatches', location: { path: 'a.ts', line: 3 } },
          { name: 'lint', passed: true, message: '' },
          { name: 'size', passed: false, message: 'too big\u001b[31m', location: { path: 'b.js' } },
        ],
      })
    const verdict = await jury({
      judges: { inner: jury({ judges: { build } }), ok: yes, odd: () => abstain('nothing') },
    }).vote({})
    expect(explain(verdict)).toBe(
      [
        'fail: 1 of 2 passed, 1 abstained',
        '  inner/build fail: 2 problems',
        '    types: no overload',
        '    matches (a.ts:3)',
        '    size: too big[31m (b.js)',
        '  odd abstain: nothing',
      ].join('\n'),
    )
  })
  test('explain takes a judgment alone', () => {
    expect(explain(error('broken'))).toBe('error: broken')
  })
})

describe('laws of juries', () => {
  const judgments = fc.constantFrom(pass('a'), fail('b'), abstain('c'), error('d', new Error('e')))
  test('the order of the seats never changes the outcome', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(judgments, { minLength: 1, maxLength: 6 }), fc.boolean(), async (given, strict) => {
        const vote = strict ? consensus() : majority()
        const seats = given.map((judgment, index): [string, Judge] => [`j${index}`, () => judgment])
        const one = await jury({ judges: Object.fromEntries(seats), vote }).vote({})
        const other = await jury({ judges: Object.fromEntries([...seats].reverse()), vote, concurrency: 1 }).vote({})
        expect(other.aggregated.status).toBe(one.aggregated.status)
      }),
    )
  })
})
