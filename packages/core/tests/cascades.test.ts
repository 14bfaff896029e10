import type { Judge, Judgment, Jury, Tiers } from '@jurist/core'
import { abstain, cascade, consensus, error, fail, jury, majority, pass, runJudge, verdictFromJson } from '@jurist/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { VectorTier } from './vectors.js'
import { casesOf, tiersOf } from './vectors.js'

describe('the cascade vectors', () => {
  const cases = casesOf('cascades')
  test('are all there', () => expect(cases).toHaveLength(24))
  test.each(cases)('$id: $why', async ({ tiers, expected }) => {
    const wanted = expected as Record<string, unknown>
    const make = () => cascade(tiersOf(tiers as readonly VectorTier[]))
    if (wanted.error !== undefined) return expect(make).toThrow(expect.objectContaining({ code: wanted.error }))
    const verdict = await make().vote({})
    const outcomes = Object.fromEntries((verdict.tiers ?? []).map(({ name, outcome }) => [name, outcome]))
    const individual = Object.fromEntries(
      Object.entries(verdict.individual).map(([name, { status }]) => [name, status]),
    )
    const found: Record<string, unknown> = {
      status: verdict.aggregated.status,
      outcomes,
      individual,
      weights: verdict.weights,
      subVerdicts: Object.keys(verdict.subVerdicts),
    }
    for (const [key, value] of Object.entries(wanted)) {
      if (key !== 'score') expect(JSON.stringify(found[key])).toBe(JSON.stringify(value))
      else if (value === null) expect(verdict.aggregated.score).toBeUndefined()
      else expect(verdict.aggregated.score).toMatchObject(value as object)
    }
  })
})

const final = { name: 'last', policy: 'final', jury: () => true } as const

describe('building a cascade', () => {
  const bad: readonly (readonly [string, unknown, string])[] = [
    ['no tiers', [], 'cascade-invalid'],
    ['no final tier', [{ ...final, policy: 'accept-on-all-pass' }], 'cascade-invalid'],
    ['a final tier elsewhere', [final, { ...final, name: 'again' }], 'cascade-invalid'],
    ['an unknown policy', [{ ...final, policy: 'perhaps' }], 'cascade-invalid'],
    ['no jury', [{ ...final, jury: undefined }], 'cascade-invalid'],
    ['one name twice', [{ ...final, policy: 'accept-on-all-pass' }, final], 'name-duplicate'],
    ['a bad name', [{ ...final, name: '1' }], 'name-invalid'],
    ['onError on a final tier', [{ ...final, onError: 'stop' }], 'option-invalid'],
    [
      'an unknown onError',
      [{ name: 'a', policy: 'reject-on-any-fail', jury: () => true, onError: 'go' }, final],
      'option-invalid',
    ],
  ]
  test.each(bad)('refuses %s', (_, tiers, code) => {
    expect(() => cascade(tiers as Tiers)).toThrow(expect.objectContaining({ code }))
  })
  test('a judge stands for a jury of one', async () => {
    expect(Object.keys((await cascade([final]).vote({})).individual)).toEqual(['judge'])
  })
  test('the outline has the tiers', () => {
    expect(cascade([final]).parts?.tiers?.map(({ name }) => name)).toEqual(['last'])
  })
})

describe('running a cascade', () => {
  const gate = (judge: Judge, onError?: 'escalate') =>
    ({
      name: 'gate',
      policy: 'reject-on-any-fail',
      jury: jury({ judges: { it: judge } }),
      ...(onError && { onError }),
    }) as const
  test('later tiers do not run when one decided', async () => {
    let asked = 0
    const verdict = await cascade([gate(() => false), { ...final, jury: () => Boolean(++asked) }]).vote({})
    expect([asked, verdict.aggregated.status]).toEqual([0, 'fail'])
    expect(verdict.tiers?.[1]).toEqual({ name: 'last', policy: 'final', outcome: 'not-reached', elapsedMs: 0 })
  })
  test('a rejection names the tier and who failed when the vote itself did not fail', async () => {
    const lenient = jury({ judges: { a: () => true, b: () => true, c: () => false }, vote: majority() })
    const verdict = await cascade([{ name: 'gate', policy: 'reject-on-any-fail', jury: lenient }, final]).vote({})
    expect(verdict.aggregated.metadata).toEqual({ tier: 'gate', failed: ['c'] })
  })
  test('a tier over its time counts as one whose vote rejected', async () => {
    const slow: Judge = () => new Promise(() => undefined)
    const verdict = await cascade([gate(slow), final], { timeoutMs: 20 }).vote({})
    expect(verdict.aggregated).toMatchObject({ status: 'error', failure: { code: 'judge-timeout' } })
    expect(verdict.tiers?.map(({ outcome }) => outcome)).toEqual(['errored', 'not-reached'])
  })
  test('an aborted signal stops before the next tier, whatever its policy', async () => {
    const stop = new AbortController()
    const first = {
      name: 'first',
      policy: 'accept-on-all-pass',
      jury: () => {
        stop.abort()
        return abstain('nothing')
      },
    } as const
    const second = { name: 'second', policy: 'accept-on-all-pass', jury: () => true } as const
    const verdict = await cascade([first, second, final]).vote({ signal: stop.signal })
    expect(verdict.aggregated).toMatchObject({ status: 'error', failure: { code: 'aborted' } })
    expect(verdict.tiers?.map(({ outcome }) => outcome)).toEqual(['escalated', 'errored', 'not-reached'])
  })
  test('costs and usage are summed over the tiers that ran', async () => {
    const paid = (costUsd: number) => () => pass('paid', { costUsd, usage: { inputTokens: 10 } })
    const verdict = await cascade([gate(paid(0.25)), { ...final, jury: paid(0.5) }]).vote({})
    expect([verdict.costUsd, verdict.usage]).toEqual([0.75, { inputTokens: 20 }])
    expect(verdict.tiers?.map(({ costUsd }) => costUsd)).toEqual([0.25, 0.5])
  })
})

const judgments: fc.Arbitrary<Judgment> = fc.constantFrom(
  pass('a'),
  fail('b'),
  abstain('c'),
  error('d', new Error('e')),
)
const judges = fc.array(judgments, { minLength: 1, maxLength: 4 })
const votes = fc.constantFrom(consensus(), majority({ onTie: 'pass' }), majority({ onError: 'ignore' }))
const gates = fc.record({
  seats: judges,
  vote: votes,
  policy: fc.constantFrom('reject-on-any-fail', 'accept-on-all-pass'),
  onError: fc.constantFrom('stop', 'escalate'),
})

function juryOfJudgments(seats: readonly Judgment[], vote = consensus()): Jury {
  return jury({ judges: Object.fromEntries(seats.map((judgment, index) => [`j${index}`, () => judgment])), vote })
}

const someCascade = fc.record({ gates: fc.array(gates, { maxLength: 3 }), last: judges, vote: votes }).map((given) => {
  const before = given.gates.map(({ seats, vote, policy, onError }, index) => ({
    name: `gate${index}`,
    policy,
    jury: juryOfJudgments(seats, vote),
    ...(policy === 'reject-on-any-fail' ? { onError } : {}),
  }))
  const tiers = [...before, { name: 'final', policy: 'final', jury: juryOfJudgments(given.last, given.vote) }]
  return { given, tiers: tiers as unknown as Tiers }
})

describe('laws of cascades', () => {
  test('never pass where a reject gate that was reached failed or broke', async () => {
    await fc.assert(
      fc.asyncProperty(someCascade, async ({ given, tiers }) => {
        const verdict = await cascade(tiers).vote({})
        fc.pre(verdict.aggregated.status === 'pass')
        const reached = verdict.tiers?.filter(({ outcome }) => outcome !== 'not-reached').length ?? 0
        for (const { policy, seats, onError } of given.gates.slice(0, reached)) {
          if (policy !== 'reject-on-any-fail') continue
          expect(seats.some(({ status }) => status === 'fail')).toBe(false)
          if (onError === 'stop') expect(seats.some(({ status }) => status === 'error')).toBe(false)
        }
      }),
    )
  })
  test('a verdict equals itself after JSON', async () => {
    await fc.assert(
      fc.asyncProperty(someCascade, async ({ tiers }) => {
        const verdict = await jury({ judges: { nested: cascade(tiers), plain: () => true } }).vote({})
        expect(verdictFromJson(JSON.parse(JSON.stringify(verdict)))).toStrictEqual(verdict)
      }),
    )
  })
  test('a cascade is a judge', async () => {
    expect((await runJudge(cascade([final]), {})).status).toBe('pass')
  })
})
