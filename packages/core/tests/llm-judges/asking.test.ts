import { infoOf, runJudge } from '@jurist/core'
import { agentJudge, type JudgeModel } from '@jurist/core/llm'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'
import { everyModelJudge } from './every-judge.js'

const context = aContext({
  turns: [
    { role: 'user', text: 'Greet.' },
    { role: 'agent', text: 'Hello!' },
  ],
  toolSteps: [{ name: 'look', input: {}, output: 'It is so.', status: 'completed', turn: 0 }],
  goal: 'Say what it is.',
  agentOutput: 'It is so.',
  expectedOutput: 'It is so!',
  referenceData: ['It is so.', 'It is so.'],
  workspace: memoryWorkspace({ 'a.txt': 'b' }, { root: '/secret/place' }),
  before: memoryWorkspace({ 'a.txt': 'a' }),
})
const usage = { inputTokens: 10, outputTokens: 2 }
const priced = (text: string) => ({ text, usage, costUsd: 0.25, model: 'tiny' })

describe.each(everyModelJudge)('$name', ({ make, passing, failing }) => {
  const judgedBy = (model: JudgeModel) => runJudge(make({ model }), context)

  test('passes and fails as its answers say, with what they cost', async () => {
    for (const [answers, status] of [
      [passing, 'pass'],
      [failing, 'fail'],
    ] as const) {
      const model = scriptedModel(...answers.map(priced))
      const judgment = await judgedBy(model)
      expect(judgment.reasoning).not.toBe('')
      expect(judgment).toMatchObject({
        status,
        usage: { inputTokens: 10 * answers.length, outputTokens: 2 * answers.length },
        costUsd: 0.25 * answers.length,
        metadata: { model: 'tiny', rawText: answers.join('\n\n') },
      })
      expect(model.requests).toHaveLength(answers.length)
    }
  })

  test('is an ERROR when any call fails, and keeps what the others cost', async () => {
    for (let broken = 0; broken < passing.length; broken++) {
      const replies = passing.map((text, call) => (call === broken ? new TypeError('overloaded') : priced(text)))
      const judgment = await judgedBy(scriptedModel(...replies))
      expect(judgment).toMatchObject({ status: 'error', failure: { name: 'TypeError', message: 'overloaded' } })
      const asked = replies.length - 1
      // Calls that build on the one that failed are not made.
      expect(judgment.costUsd ?? 0).toBeLessThanOrEqual(0.25 * asked)
      expect(judgment.costUsd ?? 0).toBeGreaterThanOrEqual(0.25 * broken)
    }
  })

  test('abstains when an answer cannot be read, with what it cost', async () => {
    for (const text of ['', 'I would rather not say.', 'Answer: YES or NO', 'Score: 7 or 8', '{"other": 1}', '{']) {
      const judgment = await judgedBy(scriptedModel(() => priced(text)))
      expect(judgment.status).toBe('abstain')
      expect(judgment.costUsd).toBeGreaterThan(0)
    }
  })

  test('is an ERROR when a response is invalid', async () => {
    const judgment = await judgedBy(async () => ({}) as never)
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'response-invalid' } })
  })

  test('stops with its signal', async () => {
    const stop = new AbortController()
    const signals: AbortSignal[] = []
    const judging = runJudge(make({ model: ({ signal }) => new Promise(() => void signals.push(signal)) }), {
      ...context,
      signal: stop.signal,
    })
    await expect.poll(() => signals.length).toBeGreaterThan(0)
    stop.abort(new Error('enough'))
    expect(await judging).toMatchObject({ status: 'error', failure: { code: 'aborted' } })
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })

  test('passes options on, takes a name, and never tells where the workspace lies', async () => {
    const model = scriptedModel(...passing)
    const judge = make({ model, name: 'mine', options: { temperature: 0.5, model: 'big' } })
    expect(infoOf(judge)).toMatchObject({ name: 'mine', kind: 'model' })
    expect((await runJudge(judge, context)).metadata).toMatchObject({ model: 'big' })
    for (const { options, messages, metadata } of model.requests) {
      expect(options).toMatchObject({ temperature: 0.5, model: 'big' })
      expect(JSON.stringify(messages)).not.toContain('/secret')
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
      expect(metadata['fence']).toMatch(/^[0-9a-f]{16,}$/)
    }
  })

  test('refuses bad options immediately', () => {
    const model = scriptedModel()
    const bad = [{}, { model: 'gpt' }, { model, nmae: 'x' }, { model, options: { timeoutMs: 0 } }]
    for (const options of bad)
      expect(() => make(options as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    expect(() => make({ model, name: ' x' })).toThrow(expect.objectContaining({ code: 'name-invalid' }))
  })
})

test('judges are named after their factories', () => {
  const model = scriptedModel()
  const names = everyModelJudge.map(({ make }) => infoOf(make({ model })).name)
  expect(names).toEqual(everyModelJudge.map(({ name }) => name.replace(/(Scored|Sampled|WithSteps|Single)$/, '')))
  const agent = agentJudge({ agent: () => ({ status: 'completed' }), criteria: 'x' })
  expect(infoOf(agent)).toMatchObject({ name: 'agentJudge', kind: 'agent' })
})
