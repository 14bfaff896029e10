import { type ContextInput, type Judge, runJudge } from '@jurist/core'
import { conversationCriteria, goalReached } from '@jurist/core/conversation'
import {
  correctness,
  criteria,
  gEval,
  type JudgeModel,
  type JudgeModelResponse,
  pairwise,
  rubric,
  scoreLine,
  semanticDiff,
  type TokenLogprob,
} from '@jurist/core/llm'
import { contextualRelevance, faithfulness, hallucination } from '@jurist/core/rag'
import { memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { toolCriteria } from '@jurist/core/tools'
import { describe, expect, test } from 'vitest'

/** An answer whose last token is the first alternative. */
function answering(start: string, ...top: readonly (readonly [token: string, probability: number])[]) {
  const alternatives = top.map(([token, probability]) => ({ token, logprob: Math.log(probability) }))
  const [first] = alternatives
  const said: TokenLogprob = { token: first?.token ?? '', logprob: first?.logprob ?? 0, top: alternatives }
  return { text: `${start}${said.token}`, logprobs: [{ token: start, logprob: 0, top: [] }, said] }
}

const yes = answering('Answer:', [' YES', 0.8], [' NO', 0.2])
const no = answering('Answer:', [' NO', 0.7], [' YES', 0.3])
const letter = (first: string, other: string) => answering('Answer:', [` ${first}`, 0.9], [` ${other}`, 0.1])
const seven = answering('Score:', [' 7', 0.6], [' 5', 0.3], [' 2', 0.1])
const plain = { text: 'Answer: YES' }

const context: ContextInput = {
  goal: 'Add 2 and 2.',
  agentOutput: '4',
  expectedOutput: 'four',
  referenceData: ['2 + 2 = 4'],
  toolSteps: [],
  turns: [
    { role: 'user', text: 'Add 2 and 2.' },
    { role: 'agent', text: '4' },
  ],
  workspace: memoryWorkspace({ 'a.txt': 'new' }),
  before: memoryWorkspace({ 'a.txt': 'old' }),
}

async function confidenceOf(make: (model: JudgeModel) => Judge, ...answers: readonly JudgeModelResponse[]) {
  const { status, metadata } = await runJudge(make(scriptedModel(...answers)), context)
  const { confidence } = metadata
  return [status, typeof confidence === 'number' ? Math.round(confidence * 1e9) / 1e9 : undefined]
}

const ten = { criteria: 'It is right.', steps: ['Read it.'] }

describe('a judge by a model declares the probability of its answer', () => {
  test.each<[string, (model: JudgeModel) => Judge, readonly JudgeModelResponse[], readonly unknown[]]>([
    ['correctness', (model) => correctness({ model }), [yes], ['pass', 0.8]],
    ['correctness with a score', (model) => correctness({ model, threshold: 0.5 }), [seven], ['pass', 0.9]],
    ['criteria', (model) => criteria({ model, criterion: 'x' }), [no], ['fail', 0.7]],
    [
      'criteria, as the mean of its samples',
      (model) => criteria({ model, criterion: 'x', strictness: 3 }),
      [yes, yes, no],
      ['pass', Math.round(((0.8 + 0.8 + 0.3) / 3) * 1e9) / 1e9],
    ],
    [
      'criteria, of samples one of which cannot be read',
      (model) => criteria({ model, criterion: 'x', strictness: 3, askAgain: 0 }),
      [yes, yes, { text: 'Hm.' }],
      ['pass', Math.round((1.6 / 3) * 1e9) / 1e9],
    ],
    [
      'criteria, of samples without',
      (model) => criteria({ model, criterion: 'x', strictness: 3 }),
      [yes, yes, plain],
      ['pass', undefined],
    ],
    ['gEval above its threshold', (model) => gEval({ model, ...ten, threshold: 0.5 }), [seven], ['pass', 0.9]],
    ['gEval below it', (model) => gEval({ model, ...ten, threshold: 0.6 }), [seven], ['fail', 0.4]],
    ['gEval without', (model) => gEval({ model, ...ten }), [{ text: 'Score: 7' }], ['pass', undefined]],
    [
      'pairwise, as the smaller of both orders',
      (model) => pairwise({ model }),
      [letter('A', 'B'), answering('Answer:', [' B', 0.6], [' A', 0.4])],
      ['pass', 0.6],
    ],
    [
      'pairwise that depends on the order',
      (model) => pairwise({ model }),
      [letter('A', 'B'), letter('A', 'B')],
      ['abstain', undefined],
    ],
    [
      'pairwise of which one answer has none',
      (model) => pairwise({ model }),
      [letter('A', 'B'), { text: 'Answer: B' }],
      ['pass', undefined],
    ],
    ['toolCriteria', (model) => toolCriteria({ model }), [yes], ['pass', 0.8]],
    ['conversationCriteria', (model) => conversationCriteria({ model, criterion: 'x' }), [no], ['fail', 0.7]],
    ['goalReached', (model) => goalReached({ model }), [yes], ['pass', 0.8]],
    ['contextualRelevance', (model) => contextualRelevance({ model }), [yes], ['pass', 0.8]],
    ['hallucination', (model) => hallucination({ model }), [yes], ['pass', 0.8]],
    ['faithfulness in one call', (model) => faithfulness({ model, mode: 'single' }), [yes], ['pass', 0.8]],
    // Of several answers: no token is the verdict.
    [
      'semanticDiff',
      (model) => semanticDiff({ model, criteria: ['x'] }),
      [answering('Answer:', [' PASS', 0.8])],
      ['pass', undefined],
    ],
    [
      'rubric',
      (model) => rubric({ model, criteria: [{ name: 'short', description: 'It is short.' }] }),
      [{ ...yes, text: '{"scores": [{"name": "short", "score": 10}]}' }],
      ['pass', undefined],
    ],
  ])('%s', async (_, make, answers, expected) => {
    expect(await confidenceOf(make, ...answers)).toEqual(expected)
  })

  test('a score line says how sure its side of the threshold is', async () => {
    const read = scoreLine({ passingAt: 0.6 })
    const { metadata } = await read(seven as never, context as never)
    expect(metadata['confidence']).toBeCloseTo(0.6)
  })
})
