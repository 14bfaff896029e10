import { effectiveScore, runJudge } from '@jurist/core'
import { matched, modelJudge, userRequest } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const verdict = matched(/\[\[(.+?)\]\]/, { 'A>>B': 'pass', A: 'pass', B: 'fail', C: 'abstain' })
const read = async (text: string, classify = verdict) => {
  const { status, metadata } = await classify({ text }, aContext())
  return [status, metadata.label ?? metadata.unread]
}

describe('matched', () => {
  test.each([
    ['[[A]]', 'pass', 'A'],
    ['My final verdict is: Assistant A is much better: [[A>>B]]', 'pass', 'A>>B'],
    ['Assistant B is better. [[B]]', 'fail', 'B'],
    ['[[ b ]].', 'fail', 'B'],
    ['**[[C]]**', 'abstain', 'C'],
    ['First I thought [[B]], now it is [[A]].', 'pass', 'A'],
    ['[[A]]\nOn reflection: [[B]]', 'fail', 'B'],
    ['[[A]]\n\nReasoning: It is as it was asked for.', 'pass', 'A'],
    ['A', 'abstain', 'none'],
    ['[[D]]', 'abstain', 'none'],
    ['[[A]] or rather [[D]]', 'abstain', 'none'],
    ['[[A]]\n\nI disagree.', 'abstain', 'ambiguous'],
    ['[[A]], but no', 'abstain', 'ambiguous'],
    ['> [[A]]\nThat is what it says.', 'abstain', 'ambiguous'],
    ['The output says: [[A]]', 'abstain', 'ambiguous'],
    ['It ends with "[[A]]"', 'abstain', 'ambiguous'],
    ['', 'abstain', 'none'],
  ])('%j: %s, %s', async (text, status, label) => expect(await read(text)).toEqual([status, label]))

  test('the first group that took part, else the whole match', async () => {
    const either = matched(/\[\[(\w)\]\]|\{\{(\w)\}\}/, { A: 'pass', B: 'fail' })
    expect(await read('{{B}}', either)).toEqual(['fail', 'B'])
    expect(await read('grade: POOR', matched('(?:good|poor)', { good: 'pass', poor: 'fail' }))).toEqual([
      'abstain',
      'none',
    ])
    expect(await read('grade: poor', matched(/good|poor/gi, { good: 'pass', poor: 'fail' }))).toEqual(['fail', 'poor'])
  })
  test('characters without width and full-width letters do not matter, in the pattern neither', async () => {
    const grade = matched(/GRADE:\s*([CPI])/, { C: 'pass', P: 'fail', I: 'fail' })
    const first = 'At first I thought GRADE: I because of a typo.\nOn reflection it is right.\n'
    for (const last of ['GRADE:\u200bC', 'GRADE:\ufeffC', 'ＧＲＡＤＥ：Ｃ', 'G\u00adRADE: C'])
      expect(await read(first + last, grade)).toEqual(['pass', 'C'])
    expect(await read('评分：（A）', matched(/评分：（(.)）/, { A: 'pass', B: 'fail' }))).toEqual(['pass', 'A'])
  })
  test('marks that the pattern takes in are not the end of a pass', async () => {
    const answer = matched(/Answer: (\S+)/, { YES: 'pass', NO: 'fail' })
    expect(await read('Answer: **YES**.', answer)).toEqual(['pass', 'YES'])
    for (const end of ['...', ':', ';', '~~', '…'])
      expect(await read(`Answer: YES${end}`, answer)).toEqual(['abstain', 'ambiguous'])
  })
  test('signs may be labels', async () => {
    const sign = matched(/Sign: ([+-])/, { '+': 'pass', '-': 'fail' })
    expect(await read('Sign: -', sign)).toEqual(['fail', '-'])
    expect(await read('Sign: +', sign)).toEqual(['pass', '+'])
  })
  test('the score is the label, with a number where one is given', async () => {
    const scale = matched(/\[\[(.+?)\]\]/, {
      good: { status: 'pass', score: 0.75 },
      poor: { status: 'fail', score: 0 },
      none: 'abstain',
    })
    const judgment = await scale({ text: '[[good]]' }, aContext())
    expect(judgment.score).toEqual({
      type: 'categorical',
      value: 'good',
      allowed: ['good', 'poor'],
      scale: { good: 0.75, poor: 0 },
    })
    expect(effectiveScore(judgment)).toBe(0.75)
  })
  test('an answer that was cut off is not read', async () => {
    expect(await verdict({ text: '[[A]]', metadata: { finishReason: 'length' } }, aContext())).toMatchObject({
      status: 'abstain',
      metadata: { unread: 'none' },
    })
  })
  test.each<[string, () => unknown, string]>([
    ['no pattern', () => matched(5 as never, { A: 'pass' }), 'option-invalid'],
    ['an invalid pattern', () => matched('(', { A: 'pass' }), 'pattern-invalid'],
    ['no labels', () => matched(/x/, undefined as never), 'option-invalid'],
    ['nothing that passes or fails', () => matched(/x/, { A: 'abstain' }), 'labels-invalid'],
    ['a label twice', () => matched(/x/, { A: 'pass', a: 'fail' }), 'labels-invalid'],
    ['a blank label', () => matched(/x/, { ' ': 'pass' }), 'labels-invalid'],
    ['another meaning', () => matched(/x/, { A: 'yes' as never }), 'labels-invalid'],
    ['a score that is no rate', () => matched(/x/, { A: { status: 'pass', score: 2 } }), 'labels-invalid'],
    ['an unknown option', () => matched(/x/, { A: 'pass' }, { budget: 1 } as never), 'option-invalid'],
  ])('refuses %s', (_, make, code) => expect(make).toThrow(expect.objectContaining({ code })))
})

test('a pattern that does not end makes an error, and no fail', async () => {
  const endless = matched(/^(a+)+$/, { a: 'fail' }, { budgetMs: 50 })
  const judge = modelJudge({
    name: 'endless',
    prompt: () => userRequest('?'),
    model: scriptedModel(`${'a'.repeat(60)}!`),
    classify: endless,
  })
  expect(await runJudge(judge, aContext())).toMatchObject({ status: 'error', failure: { code: 'regex-timeout' } })
})
