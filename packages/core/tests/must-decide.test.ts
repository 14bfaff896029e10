import type { Judge } from '@jurist/core'
import {
  abstain,
  asText,
  cascade,
  consensus,
  explain,
  fail,
  infoOf,
  jury,
  majority,
  mustDecide,
  named,
  pass,
  runJudge,
  verdictFromJson,
  withInfo,
} from '@jurist/core'
import { describe, expect, test } from 'vitest'

const silent: Judge = () => abstain('nothing to look at', { metadata: { seen: 0 }, costUsd: 0.5 })

describe('a judge that must decide', () => {
  test('an abstention becomes a fail with its own reasoning, or an error', async () => {
    expect(await runJudge(mustDecide(silent), {})).toMatchObject({
      status: 'fail',
      score: { type: 'boolean', value: false },
      reasoning: 'nothing to look at',
      checks: [{ name: 'mustDecide', passed: false }],
      metadata: { seen: 0 },
      costUsd: 0.5,
    })
    expect(await runJudge(mustDecide(silent, { as: 'error' }), {})).toMatchObject({
      status: 'error',
      reasoning: 'nothing to look at',
      failure: { message: 'nothing to look at', code: 'abstained' },
      costUsd: 0.5,
    })
  })
  test('everything else stays as it is', async () => {
    const throws: Judge = () => {
      throw new RangeError('far')
    }
    for (const said of [pass('yes', { score: 0.75 }), fail('no')])
      expect(
        await runJudge(
          mustDecide(() => said),
          {},
        ),
      ).toMatchObject({ ...said })
    expect(await runJudge(mustDecide(throws), {})).toMatchObject({ status: 'error', failure: { name: 'RangeError' } })
  })
  test('it keeps name and kind; the version says that it must decide, so that a fingerprint does', () => {
    const model = withInfo(silent, { name: 'sober', kind: 'model', version: '2' })
    expect(infoOf(mustDecide(model))).toMatchObject({ name: 'sober', kind: 'model', version: '2, mustDecide: fail' })
    expect(infoOf(mustDecide(named(silent, 'x'), { as: 'error' })).version).toBe('mustDecide: error')
  })
  test('what is not a judge, and what is not an option, is refused', () => {
    expect(() => mustDecide(1 as never)).toThrow(expect.objectContaining({ code: 'judge-invalid' }))
    expect(() => mustDecide(silent, { as: 'pass' as never })).toThrow(
      expect.objectContaining({ code: 'option-invalid' }),
    )
  })
})

describe('a jury that must decide', () => {
  const inner = jury({ judges: { a: silent, b: () => abstain('nor I') }, vote: majority() })
  test('keeps its verdict below the seat of its name', async () => {
    const verdict = await mustDecide(named(inner, 'rules')).vote({})
    expect(verdict).toMatchObject({
      aggregated: { status: 'fail' },
      individual: { rules: { status: 'fail' } },
      subVerdicts: { rules: { aggregated: { status: 'abstain' }, individual: { b: { reasoning: 'nor I' } } } },
      costUsd: 0.5,
    })
    expect(verdictFromJson(JSON.parse(JSON.stringify(verdict)))).toStrictEqual(verdict)
    expect(explain(verdict)).toContain('rules/b abstain: nor I')
  })
  test('says what it is made of', () => {
    expect(mustDecide(inner, { as: 'error' }).parts).toMatchObject({
      vote: { name: 'mustDecide', options: { as: 'error' } },
      members: [{ name: 'jury', judge: inner }],
    })
  })
})

describe('silence in a gate', () => {
  const behind = { name: 'last', policy: 'final', jury: () => true } as const
  const gate = (judge: Judge) => cascade([{ name: 'answered', policy: 'reject-on-any-fail', jury: judge }, behind])
  const rule: Judge = ({ expectedOutput, agentOutput }) =>
    expectedOutput === undefined ? abstain('nothing to compare with') : asText(agentOutput) === asText(expectedOutput)
  const rules = jury({ judges: { rule, other: () => abstain('no') }, vote: consensus() })

  test.each<[string, Judge]>([
    ['a judge', rule],
    ['a jury', rules],
    ['a cascade', cascade([{ name: 'only', policy: 'final', jury: rule }])],
  ])('opens a gate of %s, unless it must decide', async (_, judge) => {
    expect((await gate(judge).vote({})).aggregated.status).toBe('pass')
    expect((await gate(mustDecide(judge)).vote({})).aggregated.status).toBe('fail')
    expect((await gate(mustDecide(judge, { as: 'error' })).vote({})).aggregated.status).toBe('error')
    expect(
      (await gate(mustDecide(judge)).vote({ agentOutput: 'done', expectedOutput: 'done' })).aggregated.status,
    ).toBe('pass')
  })
  test('a member of a jury', async () => {
    const whole = (judge: Judge) => jury({ judges: { judge, fine: () => true } }).vote({})
    expect((await whole(rule)).aggregated.status).toBe('pass')
    expect((await whole(mustDecide(rule))).aggregated.status).toBe('fail')
    expect((await whole(mustDecide(rule, { as: 'error' }))).aggregated.status).toBe('error')
  })
})
