import { runJudge } from '@jurist/core'
import { pairwise } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const context = aContext({ goal: 'Greet.', agentOutput: 'Hello!', expectedOutput: 'Hi.' })
const judged = (answers: readonly string[], options = {}) =>
  runJudge(pairwise({ model: scriptedModel(...answers.map((answer) => `Answer: ${answer}`)), ...options }), context)

describe('pairwise', () => {
  test.each([
    ['A', 'B', 'pass', 'candidate', 'candidate', true],
    ['B', 'A', 'fail', 'baseline', 'baseline', true],
    ['TIE', 'TIE', 'abstain', 'tie', 'tie', true],
    ['A', 'A', 'abstain', 'candidate', 'baseline', false],
    ['B', 'B', 'abstain', 'baseline', 'candidate', false],
    ['TIE', 'B', 'abstain', 'tie', 'candidate', false],
    ['A', 'neither', 'abstain', 'candidate', 'unread', true],
    ['neither', 'neither', 'abstain', 'unread', 'unread', true],
  ])('%s, then %s: %s', async (one, other, status, first, second, consistent) => {
    expect(await judged([one, other])).toMatchObject({ status, metadata: { pairwise: { first, second, consistent } } })
  })
  test('names position sensitivity', async () => {
    expect((await judged(['A', 'A'])).reasoning).toContain('position sensitivity')
  })
  test.each([
    ['A', 'pass', 'candidate'],
    ['B', 'fail', 'baseline'],
    ['tie', 'abstain', 'tie'],
    ['A or B', 'abstain', 'unread'],
  ])('asked once, %s: %s', async (answer, status, first) => {
    const judgment = await judged([answer], { swap: false })
    expect(judgment.status).toBe(status)
    expect(judgment.metadata['pairwise']).toEqual({ first, consistent: true })
  })
  test('a tie is what you say', async () => {
    expect(await judged(['TIE', 'TIE'], { ties: 'pass' })).toMatchObject({ status: 'pass', score: { value: true } })
    expect(await judged(['TIE', 'TIE'], { ties: 'fail' })).toMatchObject({ status: 'fail', score: { value: false } })
  })
  test('exchanges the places, concurrently', async () => {
    const model = scriptedModel('Answer: A', 'Answer: B')
    await runJudge(pairwise({ model, criterion: 'Which is warmer?' }), context)
    const [first, second] = model.requests.map(({ messages }) => messages[1]?.content ?? '')
    expect(first).toMatch(/Which is warmer\?.*<<A .*Hello!.*<<B .*Hi\./s)
    expect(second).toMatch(/<<A .*Hi\..*<<B .*Hello!/s)
  })
  test('without an output it fails, without a baseline it abstains, and asks nothing', async () => {
    const model = scriptedModel()
    const { agentOutput: _, ...silent } = context
    expect(await runJudge(pairwise({ model }), silent)).toMatchObject({
      status: 'fail',
      checks: [{ name: 'output_present', passed: false }],
    })
    expect((await runJudge(pairwise({ model, baseline: () => undefined }), context)).status).toBe('abstain')
    expect(model.requests).toEqual([])
  })
  test('takes a baseline of your own', async () => {
    const model = scriptedModel('Answer: A', 'Answer: B')
    await runJudge(pairwise({ model, baseline: ({ goal }) => `${goal} Good day.` }), context)
    expect(model.requests[0]?.messages[1]?.content).toContain('Greet. Good day.')
  })
  test('refuses bad options', () => {
    for (const bad of [{ ties: 'win' }, { swap: 1 }, { criterion: '' }, { baseline: 'Hi.' }])
      expect(() => pairwise({ model: scriptedModel(), ...bad } as never)).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      )
  })
})
