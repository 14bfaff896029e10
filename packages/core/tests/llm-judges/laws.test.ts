import { runJudge } from '@jurist/core'
import { agentJudge, gEval, type JudgeModelResponse } from '@jurist/core/llm'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyModelJudge } from './every-judge.js'

const context = aContext({
  turns: [
    { role: 'user', text: 'Greet.' },
    { role: 'agent', text: 'Hello!' },
  ],
  toolSteps: [{ name: 'look', input: {}, output: 'It is so.', status: 'completed', turn: 0 }],
  agentOutput: 'It is so.',
  expectedOutput: 'It is not.',
  referenceData: ['It is so.'],
  workspace: memoryWorkspace({ 'a.txt': 'new' }),
  before: memoryWorkspace({ 'a.txt': 'old' }),
})

/** What models write, in pieces: whatever they are put together to, a judge must make something of it. */
const pieces = fc.oneof(
  fc.constantFrom(
    'Answer: ',
    'YES',
    'NO',
    'PASS',
    'FAIL',
    'A',
    'TIE',
    'Score: ',
    'Reasoning: ',
    '\n',
    ' ',
    '1. ',
    '- ',
  ),
  fc.constantFrom('{"claims": [', '"x"', ']}', '{"verdicts": [', '{"claim": 0, "supported": "yes"}', '{"scores": ['),
  fc.constantFrom(
    '{"name": "clear", "score": ',
    '}',
    '```',
    '```json\n',
    'Unsupported:\n',
    'PASS: ',
    'true',
    '1e999',
    '\u0000',
  ),
  fc.double().map(String),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const answers = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))

describe.each(everyModelJudge)('$name', ({ make, passing, failing }) => {
  test('never breaks by what its model writes', async () => {
    const likely = fc.oneof(answers, fc.constantFrom(...passing, ...failing))
    await fc.assert(
      fc.asyncProperty(fc.array(likely, { minLength: 6, maxLength: 6 }), async (texts) => {
        const judgment = await runJudge(make({ model: scriptedModel(...texts, () => '') }), context)
        expect(judgment.status, judgment.reasoning).not.toBe('error')
      }),
    )
  })
})

test('an agent that judges never breaks it by what it writes', async () => {
  await fc.assert(
    fc.asyncProperty(answers, fc.option(fc.double({ min: 0, max: 1, noNaN: true })), async (text, threshold) => {
      const agent = () => ({ status: 'completed', output: { type: 'text', text } }) as const
      const judge = agentJudge({ agent, criteria: 'x', ...(threshold === null ? {} : { threshold }) })
      expect((await runJudge(judge, context)).status).not.toBe('error')
    }),
  )
})

describe('the log-probabilities of a model', () => {
  const alternative = fc.record({
    token: fc.oneof(fc.integer({ min: -3, max: 13 }).map(String), fc.constantFrom(' 7', '7 ', '', 'x', '-0', '7.0')),
    logprob: fc.oneof(fc.double({ max: 0 }), fc.double()),
  })
  const logprobs = fc.array(fc.tuple(alternative, fc.array(alternative)).map(([token, top]) => ({ ...token, top })))
  const judged = (response: JudgeModelResponse) =>
    runJudge(gEval({ model: scriptedModel(response), criteria: 'x', steps: ['y'], threshold: 0 }), context)

  test('never lead off the scale', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 10 }), logprobs, async (score, given) => {
        const judgment = await judged({ text: `Score: ${score}`, logprobs: given })
        expect(judgment.status).toBe('pass')
        expect(judgment.score).toMatchObject({ type: 'numerical', min: 0, max: 10 })
      }),
    )
  })
  test('that are malformed make an ERROR, with what the call cost', async () => {
    const judgment = await judged({ text: 'Score: 7', logprobs: [{ token: '7', logprob: 0 }] as never, costUsd: 1 })
    expect(judgment).toMatchObject({ status: 'error', costUsd: 1 })
  })
})
