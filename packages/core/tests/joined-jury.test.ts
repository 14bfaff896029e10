import {
  abstain,
  average,
  cascade,
  consensus,
  error,
  explain,
  fail,
  flatten,
  type Judge,
  type Judgment,
  type Jury,
  jury,
  majority,
  median,
  mustDecide,
  pass,
  verdictFromJson,
  weightedAverage,
} from '@jurist/core'
import { joinedJudgment, joinedJury } from '@jurist/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const judgments: Readonly<Record<Judgment['status'], Judgment>> = {
  pass: pass('yes', { score: 0.75, costUsd: 0.5 }),
  fail: fail('no', { score: 0.25 }),
  abstain: abstain('cannot say'),
  error: error('broken'),
}
const statuses = fc.constantFrom(...(Object.keys(judgments) as Judgment['status'][]))
const votes = fc.constantFrom(consensus(), majority(), average({ threshold: 0.5 }), median(), weightedAverage())

/** A jury of judges that always say the same. */
function juryOf(said: readonly Judgment['status'][], vote = consensus()): Jury {
  return jury({ judges: Object.fromEntries(said.map((status, index) => [`j${index}`, () => judgments[status]])), vote })
}

/** Every kind of jury that an experiment may have, around the same members. */
const kinds: readonly ((inner: Jury) => Jury)[] = [
  (inner) => inner,
  (inner) => mustDecide(inner),
  (inner) => cascade([{ name: 'only', jury: inner, policy: 'final' }]),
  (inner) =>
    cascade([
      { name: 'gate', jury: inner, policy: 'reject-on-any-fail' },
      { name: 'rest', jury: inner, policy: 'final' },
    ]),
  (inner) =>
    cascade([
      { name: 'gate', jury: inner, policy: 'accept-on-all-pass' },
      { name: 'rest', jury: inner, policy: 'final' },
    ]),
  // A jury of one's own, whose parts are unknown.
  (inner) => Object.assign(async () => judgments.pass, { vote: (context: object) => inner.vote(context) }),
]

describe('a jury that another one joins', () => {
  const members = fc.array(statuses, { minLength: 1, maxLength: 4 })
  test('passes where both pass, or one does and the other abstains; a fail of either fails or breaks', async () => {
    await fc.assert(
      fc.asyncProperty(members, members, votes, fc.constantFrom(...kinds), async (first, second, vote, kind) => {
        const [own, item] = [kind(juryOf(first, vote)), juryOf(second)]
        const alone = (await own.vote({})).aggregated.status
        const joining = (await item.vote({})).aggregated.status
        const { aggregated } = await joinedJury(own, { name: 'item', jury: item }).vote({})
        const both = [alone, joining]
        const { tiers } = own.parts ?? {}
        // The last tier of a cascade decides: where it abstains, a tier before it decides nothing.
        const decides = tiers === undefined ? both.includes('pass') : alone === 'pass'
        const passes = decides && both.every((status) => status === 'pass' || status === 'abstain')
        expect(aggregated.status === 'pass').toBe(passes)
        if (both.includes('fail')) expect(['fail', 'error']).toContain(aggregated.status)
        if (both.every((status) => status === 'abstain')) expect(aggregated.status).toBe('abstain')
      }),
      { numRuns: 500 },
    )
  })

  test('that goes first decides as beside it, and a fail of it saves the jury', async () => {
    await fc.assert(
      fc.asyncProperty(members, members, votes, async (first, second, vote) => {
        let asked = 0
        const counting: Judge = () => {
          asked += 1
          return pass('asked')
        }
        const own = jury({ judges: { counting, own: juryOf(first, vote) }, vote: consensus() })
        const item = juryOf(second)
        const joining = (await item.vote({})).aggregated.status
        const beside = await joinedJury(own, { name: 'item', jury: item }).vote({})
        asked = 0
        const after = await joinedJury(own, { name: 'item', jury: item, first: true }).vote({})
        expect(asked).toBe(joining === 'fail' ? 0 : 1)
        if (joining !== 'fail') {
          expect({ ...after.aggregated, elapsedMs: 0 }).toEqual({ ...beside.aggregated, elapsedMs: 0 })
          return
        }
        expect(after.aggregated).toMatchObject({ status: 'fail', metadata: { joined: 'item' } })
        expect(Object.keys(after.individual)).toEqual(['item'])
        expect(Object.keys(after.subVerdicts['item']?.individual ?? {})).toEqual(second.map((_, index) => `j${index}`))
        expect(verdictFromJson(JSON.parse(JSON.stringify(after)))).toEqual(after)
      }),
      { numRuns: 200 },
    )
  })

  test('never makes pass what the jury fails, whatever the vote says of its members and the item', async () => {
    const { aggregated } = await joinedJury(juryOf(['pass', 'fail'], majority()), {
      name: 'item',
      jury: juryOf(['pass']),
    }).vote({})
    expect(aggregated).toMatchObject({
      status: 'fail',
      metadata: { joined: 'item', aggregation: { strategy: 'majority' } },
    })
  })

  test('keeps the score of the vote where the vote decides', async () => {
    const scored = juryOf(['pass', 'fail'], average({ threshold: 0.4 }))
    const joined = (status: Judgment['status']) => joinedJury(scored, { name: 'item', jury: juryOf([status]) }).vote({})
    expect((await joined('pass')).aggregated).toMatchObject({
      status: 'pass',
      score: { type: 'numerical', value: 0.5 },
    })
    expect((await joined('abstain')).aggregated).toMatchObject({ status: 'pass', score: { value: 0.5 } })
    expect((await joined('fail')).aggregated).toMatchObject({
      status: 'fail',
      score: { type: 'boolean', value: false },
    })
    expect((await joined('error')).aggregated).toMatchObject({
      status: 'error',
      reasoning: 'item: j0 ended in an error',
    })
  })

  test('has the joining jury as one more member, with its judges and its costs below', async () => {
    const verdict = await joinedJury(juryOf(['pass', 'pass']), { name: 'item', jury: juryOf(['pass', 'fail']) }).vote(
      {},
    )
    expect(flatten(verdict).map(({ path }) => path)).toEqual(['', '/j0', '/j1', '/item', '/item/j0', '/item/j1'])
    expect(verdict.costUsd).toBe(1.5)
    expect(explain(verdict)).toContain('item/j1 fail: no')
    expect(verdictFromJson(JSON.parse(JSON.stringify(verdict)))).toEqual(verdict)
  })

  test('is the first tier of a cascade: a fail ends it before an expensive tier runs', async () => {
    let asked = 0
    const expensive = jury({
      judges: {
        model: () => {
          asked += 1
          return judgments.pass
        },
      },
    })
    const tiers = cascade([{ name: 'meaning', jury: expensive, policy: 'final' }], { timeoutMs: 60_000 })
    const rejected = await joinedJury(tiers, { name: 'item', jury: juryOf(['fail']) }).vote({})
    expect(rejected.tiers?.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['item', 'rejected'],
      ['meaning', 'not-reached'],
    ])
    expect(asked).toBe(0)
    const passed = await joinedJury(tiers, { name: 'item', jury: juryOf(['pass']) }).vote({})
    expect(passed.aggregated.status).toBe('pass')
    expect(flatten(passed).map(({ path }) => path)).toEqual(['', '/item', '/item/j0', '/meaning', '/meaning/model'])
  })

  test('a table of the two judgments', () => {
    const rows: readonly (readonly [Judgment['status'], Judgment['status'], Judgment['status']])[] = [
      ['pass', 'pass', 'pass'],
      ['pass', 'fail', 'fail'],
      ['fail', 'pass', 'fail'],
      ['fail', 'fail', 'fail'],
      ['pass', 'abstain', 'pass'],
      ['abstain', 'pass', 'pass'],
      ['abstain', 'fail', 'fail'],
      ['abstain', 'abstain', 'abstain'],
      ['pass', 'error', 'error'],
      ['error', 'pass', 'error'],
      ['error', 'fail', 'fail'],
      ['fail', 'error', 'fail'],
      ['abstain', 'error', 'error'],
    ]
    for (const [own, item, whole] of rows)
      expect([own, item, joinedJudgment(judgments[own], { name: 'item', judgment: judgments[item] }).status]).toEqual([
        own,
        item,
        whole,
      ])
  })
})
