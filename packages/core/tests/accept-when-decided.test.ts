import type { Judgment, Jury, Tiers, Verdict } from '@jurist/core'
import {
  abstain,
  cascade,
  consensus,
  error,
  fail,
  jury,
  majority,
  mustDecide,
  numerical,
  pass,
  plurality,
  scored,
  verdictFromJson,
} from '@jurist/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const broken = error('broken', new Error('boom'))
const outcomes = ({ aggregated, tiers = [] }: Verdict) =>
  [aggregated.status, ...tiers.map(({ outcome }) => outcome)].join(' ')

describe('a tier that is accepted when it decided', () => {
  const over = (cheap: Judgment, dear: Judgment, onError?: 'stop' | 'escalate') => {
    const calls = { cheap: 0, dear: 0 }
    const made = cascade([
      {
        name: 'cheap',
        policy: 'accept-when-decided',
        ...(onError && { onError }),
        jury: () => {
          calls.cheap++
          return cheap
        },
      },
      {
        name: 'dear',
        policy: 'final',
        jury: () => {
          calls.dear++
          return dear
        },
      },
    ])
    return made.vote({}).then((verdict) => ({ said: outcomes(verdict), calls: [calls.cheap, calls.dear], verdict }))
  }
  test.each<[string, Judgment, Judgment, 'stop' | 'escalate' | undefined, string, number]>([
    ['a pass stops', pass('sure'), fail('no'), undefined, 'pass accepted not-reached', 0],
    ['a fail stops', fail('sure'), pass('yes'), undefined, 'fail rejected not-reached', 0],
    ['an abstention goes on', abstain('unsure'), pass('yes'), undefined, 'pass escalated decided', 1],
    ['… to a fail too', abstain('unsure'), fail('no'), undefined, 'fail escalated decided', 1],
    ['an error closes it', broken, pass('yes'), undefined, 'error errored not-reached', 0],
    ['… also when that is said', broken, pass('yes'), 'stop', 'error errored not-reached', 0],
    ['an error goes on where that is asked for', broken, pass('yes'), 'escalate', 'pass escalated decided', 1],
  ])('%s; the cheap judge is asked once', async (_, cheap, dear, onError, said, dearCalls) => {
    expect(await over(cheap, dear, onError)).toMatchObject({ said, calls: [1, dearCalls] })
  })
  test('keeps its own score and seats, and reads back from JSON', async () => {
    const { verdict } = await over(scored(numerical(0.9), { passingAt: 0.5 }), pass('yes'))
    expect(verdict.aggregated.status).toBe('pass')
    expect(Object.keys(verdict.subVerdicts)).toEqual(['cheap'])
    expect(verdictFromJson(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict)
  })
  test('its vote decides, not its seats', async () => {
    const quick = jury({ judges: { a: () => pass('a'), b: () => pass('b'), c: () => fail('c') }, vote: majority() })
    const verdict = await cascade([
      { name: 'quick', policy: 'accept-when-decided', jury: quick },
      { name: 'last', policy: 'final', jury: () => fail('no') },
    ]).vote({})
    expect(outcomes(verdict)).toBe('pass accepted not-reached')
  })
  test('a tie of a plurality that abstains goes on', async () => {
    const quick = jury({ judges: { a: () => pass('a'), b: () => fail('b') }, vote: plurality({ onTie: 'abstain' }) })
    const verdict = await cascade([
      { name: 'quick', policy: 'accept-when-decided', jury: quick },
      { name: 'last', policy: 'final', jury: () => fail('no') },
    ]).vote({})
    expect(outcomes(verdict)).toBe('fail escalated decided')
  })
  test('mustDecide leaves nothing to hand on', async () => {
    const verdict = await cascade([
      { name: 'quick', policy: 'accept-when-decided', jury: mustDecide(() => abstain('x')) },
      { name: 'last', policy: 'final', jury: () => pass('yes') },
    ]).vote({})
    expect(outcomes(verdict)).toBe('fail rejected not-reached')
  })
  test('the last tier is still final, and onError is checked', () => {
    const last = [{ name: 'a', policy: 'accept-when-decided', jury: () => true }] as unknown as Tiers
    expect(() => cascade(last)).toThrow(expect.objectContaining({ code: 'cascade-invalid' }))
    const bad = { name: 'a', policy: 'accept-when-decided', jury: () => true, onError: 'pass' }
    expect(() => cascade([bad, { name: 'b', policy: 'final', jury: () => true }] as unknown as Tiers)).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
    const made = cascade([
      { name: 'a', policy: 'accept-when-decided', onError: 'escalate', jury: () => true },
      { name: 'b', policy: 'final', jury: () => true },
    ])
    expect(made.parts?.tiers?.[0]).toMatchObject({ policy: 'accept-when-decided', onError: 'escalate' })
  })
})

describe('fails closed', () => {
  const judgment = fc.constantFrom<Judgment>(pass('yes'), fail('no'), abstain('nothing'), broken)
  const member = fc
    .tuple(fc.constantFrom(consensus, majority, plurality), fc.array(judgment, { minLength: 1, maxLength: 3 }))
    .map(
      ([vote, said]): Jury =>
        jury({ judges: Object.fromEntries(said.map((one, index) => [`j${index}`, () => one])), vote: vote() }),
    )
  const gate = fc.record({
    policy: fc.constantFrom('accept-when-decided', 'reject-on-any-fail', 'accept-on-all-pass'),
    jury: member,
  })
  test('whatever the tiers: one whose vote ended in an error lets nothing through, one that failed lets nothing pass', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(gate, { minLength: 1, maxLength: 4 }), member, async (gates, last) => {
        const tiers = gates.map((one, index) => ({ name: `gate${index}`, ...one }))
        const verdict = await cascade([
          ...tiers,
          { name: 'last', policy: 'final', jury: last },
        ] as unknown as Tiers).vote({})
        const deciding = tiers.filter(
          ({ name, policy }) => policy === 'accept-when-decided' && name in verdict.subVerdicts,
        )
        for (const { name } of deciding) {
          const { status } = verdict.subVerdicts[name]?.aggregated ?? {}
          const { outcome } = verdict.tiers?.find((tier) => tier.name === name) ?? {}
          if (status === 'error') {
            expect(verdict.aggregated.status).toBe('error')
            expect(outcome).toBe('errored')
          }
          if (status === 'fail') expect(verdict.aggregated.status).not.toBe('pass')
          expect(outcome === 'escalated').toBe(status === 'abstain')
        }
      }),
      { numRuns: 500 },
    )
  })
})
