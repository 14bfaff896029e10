import type { Judge } from '@jurist/core'
import { infoOf, runJudge } from '@jurist/core'
import {
  agentJudge,
  correctness,
  criteria,
  gEval,
  type JudgeModel,
  type ModelBase,
  pairwise,
  rubric,
  semanticDiff,
} from '@jurist/core/llm'
import { contextualRelevance, faithfulness, hallucination } from '@jurist/core/rag'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

/** Every built-in judge by a model, with answers that pass and that fail, in the order of its calls. */
const judges: Record<
  string,
  { make: (base: ModelBase) => Judge; passing: readonly string[]; failing: readonly string[] }
> = {
  correctness: { make: correctness, passing: ['Answer: YES'], failing: ['Answer: NO'] },
  correctnessScored: {
    make: (base) => correctness({ ...base, threshold: 0.5 }),
    passing: ['Score: 8'],
    failing: ['Score: 2'],
  },
  criteria: {
    make: (base) => criteria({ ...base, criterion: 'It is polite.' }),
    passing: ['Answer: YES'],
    failing: ['Answer: NO'],
  },
  criteriaSampled: {
    make: (base) => criteria({ ...base, criterion: 'It is polite.', strictness: 3 }),
    passing: ['Answer: YES', 'Answer: NO', 'Answer: YES'],
    failing: ['Answer: YES', 'Answer: NO', 'Answer: NO'],
  },
  gEval: {
    make: (base) => gEval({ ...base, criteria: 'Is it clear?' }),
    passing: ['1. Read it.\n2. Score it.', 'Score: 9'],
    failing: ['1. Read it.\n2. Score it.', 'Score: 1'],
  },
  gEvalWithSteps: {
    make: (base) => gEval({ ...base, criteria: 'Is it clear?', steps: ['Read it.'] }),
    passing: ['Score: 9'],
    failing: ['Score: 1'],
  },
  pairwise: {
    make: pairwise,
    passing: ['Answer: A', 'Answer: B'],
    failing: ['Answer: B', 'Answer: A'],
  },
  rubric: {
    make: (base) => rubric({ ...base, criteria: [{ name: 'clear', description: 'It is clear.' }] }),
    passing: ['{"scores": [{"name": "clear", "score": 9}]}'],
    failing: ['{"scores": [{"name": "clear", "score": 1}]}'],
  },
  semanticDiff: {
    make: (base) => semanticDiff({ ...base, criteria: ['a.txt says b', 'nothing else changed'] }),
    passing: ['Answer: PASS', 'Answer: PASS'],
    failing: ['Answer: PASS', 'Answer: FAIL'],
  },
  contextualRelevance: { make: contextualRelevance, passing: ['Answer: YES'], failing: ['Answer: NO'] },
  faithfulness: {
    make: faithfulness,
    passing: ['{"claims": ["it is so"]}', '{"verdicts": [{"claim": 0, "supported": "yes"}]}'],
    failing: ['{"claims": ["it is so"]}', '{"verdicts": [{"claim": 0, "supported": "unclear"}]}'],
  },
  faithfulnessSingle: {
    make: (base) => faithfulness({ ...base, mode: 'single' }),
    passing: ['Answer: YES'],
    failing: ['Answer: NO'],
  },
  hallucination: { make: hallucination, passing: ['Answer: YES'], failing: ['Answer: NO'] },
}
const entries = Object.entries(judges).map(([name, entry]) => ({ name, ...entry }))

const context = aContext({
  goal: 'Say what it is.',
  agentOutput: 'It is so.',
  expectedOutput: 'It is so!',
  referenceData: ['It is so.', 'It was so.'],
  workspace: memoryWorkspace({ 'a.txt': 'b' }, { root: '/secret/place' }),
  before: memoryWorkspace({ 'a.txt': 'a' }),
})
const usage = { inputTokens: 10, outputTokens: 2 }
const priced = (text: string) => ({ text, usage, costUsd: 0.25, model: 'tiny' })

describe.each(entries)('$name', ({ make, passing, failing }) => {
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

  test('is an ERROR when a response is none', async () => {
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
    expect(infoOf(judge)).toEqual({ name: 'mine', kind: 'model' })
    expect((await runJudge(judge, context)).metadata).toMatchObject({ model: 'big' })
    for (const { options, messages, metadata } of model.requests) {
      expect(options).toMatchObject({ temperature: 0.5, model: 'big' })
      expect(JSON.stringify(messages)).not.toContain('/secret')
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
      expect(metadata['fence']).toMatch(/^[0-9a-f]{16,}$/)
    }
  })

  test('refuses bad options at once', () => {
    const model = scriptedModel()
    const bad = [{}, { model: 'gpt' }, { model, nmae: 'x' }, { model, options: { timeoutMs: 0 } }]
    for (const options of bad)
      expect(() => make(options as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    expect(() => make({ model, name: ' x' })).toThrow(expect.objectContaining({ code: 'name-invalid' }))
  })
})

test('judges are named after their factories', () => {
  const model = scriptedModel()
  const names = entries.map(({ make }) => infoOf(make({ model })).name)
  expect(names).toEqual(entries.map(({ name }) => name.replace(/(Scored|Sampled|WithSteps|Single)$/, '')))
  const agent = agentJudge({ agent: () => ({ status: 'completed' }), criteria: 'x' })
  expect(infoOf(agent)).toEqual({ name: 'agentJudge', kind: 'agent' })
})
