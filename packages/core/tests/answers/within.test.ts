import { type ContextInput, runJudge } from '@jurist/core'
import { type Limits, within } from '@jurist/core/answers'
import { aContext } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const step = { name: 'search', input: {}, status: 'completed', turn: 1 } as const
const all: ContextInput = {
  status: 'success',
  executionMs: 1_200,
  turns: [
    { role: 'user', text: 'Hello', isHistory: true },
    { role: 'agent', text: 'Hello', isHistory: true },
    { role: 'user', text: 'Where?' },
    { role: 'agent', text: 'Here.' },
    { role: 'user', text: 'Thanks' },
    { role: 'agent', text: 'Bye.' },
  ],
  toolSteps: [step, { ...step, status: 'denied' }, { ...step, status: 'failed' }],
  metadata: { costUsd: 0.02, usage: { inputTokens: 900, outputTokens: 100 } },
}
const judged = (limits: Limits, context: ContextInput = all) => runJudge(within(limits), aContext(context))

describe('each limit is inclusive, a check with its figure', () => {
  test.each<readonly [keyof Limits, number]>([
    ['costUsd', 0.02],
    ['ms', 1_200],
    ['tokens', 1_000],
    ['turns', 2],
    ['toolCalls', 3],
  ])('%s: %d', async (name, figure) => {
    expect(await judged({ [name]: figure })).toMatchObject({
      status: 'pass',
      score: { value: 1 },
      checks: [{ name, passed: true, message: `${figure}, at most ${figure} allowed` }],
      metadata: { figures: { [name]: figure } },
    })
    expect(await judged({ [name]: name === 'costUsd' ? 0.01 : figure - 1 })).toMatchObject({ status: 'fail' })
  })
})

test('the score is the smallest share of a limit to its figure', async () => {
  expect(await judged({ ms: 600, toolCalls: 2, costUsd: 1 })).toMatchObject({
    status: 'fail',
    score: { value: 0.5 },
    reasoning: 'ms: 1200, but at most 600 allowed; toolCalls: 3, but at most 2 allowed',
  })
  expect(await judged({ toolCalls: 0 })).toMatchObject({ status: 'fail', score: { value: 0 } })
  expect(await judged({ toolCalls: 0 }, { ...all, toolSteps: [] })).toMatchObject({ status: 'pass' })
})

describe('what is not reported', () => {
  const silent: ContextInput = { status: 'success', metadata: {} }
  test.each(['costUsd', 'ms', 'tokens', 'turns', 'toolCalls'] as const)('%s fails', async (name) => {
    expect(await judged({ [name]: 5 }, silent)).toMatchObject({
      status: 'fail',
      score: { value: 0 },
      checks: [{ name, passed: false, message: 'not reported, at most 5 allowed' }],
    })
  })
  test('abstains where no agent ran, unless a limit is exceeded', async () => {
    const stored: ContextInput = { status: 'unknown', metadata: {} }
    expect((await judged({ ms: 5, costUsd: 1 }, stored)).status).toBe('abstain')
    expect((await judged({ ms: 5, costUsd: 1 }, { ...stored, executionMs: 6 })).status).toBe('fail')
    expect((await judged({ ms: 5 }, { ...stored, executionMs: 4 })).status).toBe('pass')
  })
  test.each<readonly [string, unknown]>([
    ['a negative cost', -1],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a string', '0.01'],
    ['null', null],
  ])('%s is not a report', async (_, costUsd) => {
    expect((await judged({ costUsd: 1 }, { ...silent, metadata: { costUsd } })).status).toBe('fail')
  })
  test.each<readonly [object, string]>([
    [{ totalTokens: 50 }, 'pass'],
    [{ totalTokens: 5_000 }, 'fail'],
    // A total that hides what was counted does not count.
    [{ totalTokens: 5, inputTokens: 90, outputTokens: 60 }, 'fail'],
    [{ inputTokens: 50 }, 'fail'],
    [{}, 'fail'],
  ])('tokens of %j: %s', async (usage, status) => {
    expect((await judged({ tokens: 100 }, { ...silent, metadata: { usage } })).status).toBe(status)
  })
  test.each<readonly [object, string]>([
    [{ bridge: 'openai', 'openai.turns': 3 }, 'pass'],
    [{ bridge: 'openai', 'openai.turns': 5 }, 'fail'],
    [
      {
        phases: [
          { name: 'plan', turns: 1 },
          { name: 'act', turns: 2 },
        ],
      },
      'pass',
    ],
    [{ phases: [{ name: 'plan', turns: 1 }, { name: 'act' }] }, 'fail'],
    [{ phases: [] }, 'fail'],
  ])('turns of %j: %s', async (metadata, status) => {
    expect((await judged({ turns: 3 }, { ...silent, metadata: { ...metadata } })).status).toBe(status)
  })
})

test.each<readonly [unknown, RegExp]>([
  [{}, /give at least one limit: costUsd, ms/],
  [{ cost: 1 }, /unknown option "cost"/],
  [{ ms: -1 }, /"ms" must be a number of at least 0/],
  [{ toolCalls: 1.5 }, /"toolCalls" must be an integer/],
])('%j is refused', (limits, message) => {
  expect(() => within(limits as Limits)).toThrow(message)
})
