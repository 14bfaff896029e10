import { runJudge } from '@jurist/core'
import type { Cassette, CassetteStore, JudgeModel } from '@jurist/core/llm'
import {
  answerLine,
  budget,
  cached,
  correctness,
  criteria,
  gEval,
  modelJudge,
  pairwise,
  promptTemplate,
  replay,
  requestKey,
  semanticDiff,
  wrapModel,
} from '@jurist/core/llm'
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
  referenceData: ['It is so.'],
  workspace: memoryWorkspace({ 'a.txt': 'b' }),
  before: memoryWorkspace({ 'a.txt': 'a' }),
})
const told = (text: string) => ({ text, costUsd: 0.25, usage: { inputTokens: 10 } })
const unclear = 'I would rather not say.'

/** A model that answers each prompt at first with something unclear; what it is asked again it answers by the script. */
function unclearAtFirst(answers: readonly string[]) {
  let next = 0
  const script = new Map<string, string>()
  return scriptedModel(({ messages }) => {
    const [own = '', reminder] = (messages.at(-1)?.content ?? '').split(/\n\n(?=An earlier answer)/)
    if (reminder !== undefined) return told(script.get(own) ?? '')
    const answer = answers[next++] ?? ''
    if (answer.startsWith('1. ')) return told(answer)
    script.set(own, answer)
    return told(unclear)
  })
}

/** Those whose calls differ by their prompts, so that the answer to each can be recognized. */
const apart = everyModelJudge.filter(({ name }) => name !== 'criteriaSampled')

describe.each(apart)('$name', ({ make, passing, failing }) => {
  const steps = passing.filter((answer) => answer.startsWith('1. ')).length

  test('asks once more for what it cannot read, and takes that answer, with what both cost', async () => {
    for (const [answers, status] of [
      [passing, 'pass'],
      [failing, 'fail'],
    ] as const) {
      const model = unclearAtFirst(answers)
      const judgment = await runJudge(make({ model }), context)
      const calls = 2 * answers.length - steps
      expect(judgment).toMatchObject({ status, costUsd: 0.25 * calls, usage: { inputTokens: 10 * calls } })
      expect(judgment.metadata).toMatchObject({ askedAgain: answers.length - steps })
      for (const text of [unclear, ...answers]) expect(judgment.metadata['rawText']).toContain(text)
      const keys = await Promise.all(model.requests.map(requestKey))
      expect(new Set(keys).size).toBe(calls)
    }
  })
  test('abstains when the second answer cannot be read either', async () => {
    const model = scriptedModel(({ messages }) =>
      told(messages.at(-1)?.content.startsWith('Write the steps') === true ? '1. Read it.' : unclear),
    )
    const judgment = await runJudge(make({ model }), context)
    expect(judgment).toMatchObject({ status: 'abstain', costUsd: 0.25 * model.requests.length })
    expect(judgment.metadata['askedAgain']).toBeGreaterThan(0)
  })
  test('asks as often as configured', async () => {
    for (const askAgain of [0, 3]) {
      const model = scriptedModel(({ messages }) =>
        told(messages.at(-1)?.content.startsWith('Write the steps') === true ? '1. Read it.' : unclear),
      )
      const judgment = await runJudge(make({ model, askAgain }), context)
      const first = model.requests.filter(({ messages }) => !messages.at(-1)?.content.includes('could not be read'))
      expect(judgment.status).toBe('abstain')
      expect(model.requests.length - first.length).toBe(askAgain * (first.length - steps))
      expect(judgment.metadata['askedAgain'] ?? 0).toBe(model.requests.length - first.length)
    }
  })
  test('refuses an invalid number', () => {
    for (const askAgain of [-1, 1.5, 11, '1', true])
      expect(() => make({ model: scriptedModel(), askAgain: askAgain as never })).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      )
  })
})

test('an answer that can be read is not asked for again', async () => {
  for (const { make, passing } of everyModelJudge) {
    const model = scriptedModel(...passing)
    expect((await runJudge(make({ model }), context)).metadata).not.toHaveProperty('askedAgain')
    expect(model.requests).toHaveLength(passing.length)
  }
})

test('a second call that fails leaves the abstention, with what the first cost', async () => {
  const model = scriptedModel(told(unclear), new Error('overloaded'))
  expect(await runJudge(correctness({ model }), context)).toMatchObject({ status: 'abstain', costUsd: 0.25 })
})

test('a spent budget is not overdrawn to ask again', async () => {
  const inner = scriptedModel(told(unclear), told('Answer: YES'))
  const model = wrapModel(inner, budget({ usd: 0.25 }))
  expect((await runJudge(correctness({ model }), context)).status).toBe('abstain')
  expect(inner.requests).toHaveLength(1)
})

test('an abort while it is asked again is an ERROR', async () => {
  const stop = new AbortController()
  const model: JudgeModel = async ({ messages, signal }) => {
    if (messages.at(-1)?.content.includes('could not be read') !== true) return told(unclear)
    stop.abort(new Error('enough'))
    throw signal.reason
  }
  const judgment = await runJudge(criteria({ model, criterion: 'x' }), { ...context, signal: stop.signal })
  expect(judgment).toMatchObject({ status: 'error', failure: { code: 'aborted' } })
})

test('only what matters is asked again', async () => {
  const samples = scriptedModel('Answer: YES', 'hm', 'Answer: YES')
  expect((await runJudge(criteria({ model: samples, criterion: 'x', strictness: 3 }), context)).status).toBe('pass')
  expect(samples.requests).toHaveLength(3)
  const places = scriptedModel('Answer: A', 'hm', 'Answer: B')
  expect((await runJudge(pairwise({ model: places }), context)).status).toBe('pass')
  expect(places.requests).toHaveLength(3)
  const failed = scriptedModel('Answer: FAIL', 'hm')
  expect((await runJudge(semanticDiff({ model: failed, criteria: ['a', 'b'] }), context)).status).toBe('fail')
  expect(failed.requests).toHaveLength(2)
})

test('samples of a score that cannot be read do not pass by being left out', async () => {
  const judged = async (...answers: readonly string[]) => {
    const model = scriptedModel(...answers)
    const judge = gEval({ model, criteria: 'x', steps: ['y'], samples: 4, threshold: 0.6, askAgain: 0 })
    return (await runJudge(judge, context)).status
  }
  expect(await judged('Score: 9', 'hm', 'hm', 'hm')).toBe('abstain')
  expect(await judged('Score: 9', 'Score: 9', 'Score: 9', 'hm')).toBe('pass')
  expect(await judged('Score: 1', 'Score: 1', 'Score: 1', 'hm')).toBe('fail')
})

test('caches and cassettes keep both answers apart', async () => {
  const saved: Cassette[] = []
  const store: CassetteStore = { load: async () => saved.at(-1), save: async (cassette) => void saved.push(cassette) }
  const inner = scriptedModel(unclear, 'Answer: YES')
  const judge = (model: JudgeModel) => runJudge(correctness({ model }), context)
  const model = wrapModel(inner, cached(), replay(store, { mode: 'auto' }))
  expect((await judge(model)).status).toBe('pass')
  expect(await judge(model)).toMatchObject({ status: 'pass', costUsd: 0, metadata: { cached: true, askedAgain: 1 } })
  expect(inner.requests).toHaveLength(2)
  const replayed = await judge(wrapModel(scriptedModel(), replay(saved.at(-1) as Cassette)))
  expect(replayed).toMatchObject({ status: 'pass', metadata: { rawText: `${unclear}\n\nAnswer: YES` } })
})

describe('a judge of your own', () => {
  const judgeOf = (model: JudgeModel, askAgain?: number) =>
    modelJudge({
      name: 'mine',
      model,
      prompt: promptTemplate('mine', 'Is it so?\n\n{{output}}'),
      classify: answerLine(),
      askAgain,
    })
  test('asks once, unless it says otherwise', async () => {
    expect((await runJudge(judgeOf(scriptedModel(unclear)), context)).status).toBe('abstain')
    expect((await runJudge(judgeOf(scriptedModel(unclear, 'Answer: YES'), 1), context)).status).toBe('pass')
  })
  test('fails when its prompt needs an output and the agent gave none', async () => {
    const model = scriptedModel()
    const { agentOutput: _, ...silent } = context
    expect(await runJudge(judgeOf(model), silent)).toMatchObject({
      status: 'fail',
      checks: [{ name: 'output_present', passed: false }],
    })
    expect(model.requests).toEqual([])
  })
})

test('a judge of the output fails without one, and asks nothing', async () => {
  const { agentOutput: _, ...rest } = context
  const silent = { ...rest, turns: [{ role: 'user', text: 'Greet.' } as const] }
  const ofOthers = ['contextualRelevance', 'contextPrecision', 'contextRecall', 'semanticDiff', 'toolCriteria']
  const ofOutput = everyModelJudge.filter(({ name }) => !ofOthers.includes(name))
  for (const status of ['success', 'failed', 'refused', 'timeout'] as const)
    for (const { name, make } of ofOutput) {
      const model = scriptedModel()
      const judgment = await runJudge(make({ model }), { ...silent, status })
      expect(judgment, name).toMatchObject({ status: 'fail', checks: [{ name: 'output_present', passed: false }] })
      expect(model.requests).toEqual([])
    }
})
