import { type Json, runJudge } from '@jurist/core'
import { recorded } from '@jurist/experiment/calibrate'
import { describe, expect, test } from 'vitest'

type RecordedOptions = Parameters<typeof recorded>[1]

async function judged(answer: unknown, options?: RecordedOptions) {
  return await runJudge(recorded('gpt4', options), { metadata: { said: { gpt4: answer as Json } } })
}

describe('a recorded answer', () => {
  test.each<[unknown, RecordedOptions, string]>([
    ['pass', undefined, 'pass'],
    [' FAIL ', undefined, 'fail'],
    [true, undefined, 'pass'],
    [false, undefined, 'fail'],
    ['abstain', undefined, 'abstain'],
    ['error', undefined, 'error'],
    ['1', { pass: ['1'], fail: ['2'] }, 'pass'],
    [2, { pass: ['1'], fail: ['2'] }, 'fail'],
    [0.6, undefined, 'pass'],
    ['2', { range: { min: 1, max: 5 } }, 'fail'],
    [3, { range: { min: 1, max: 5 }, passingAt: 0.6 }, 'fail'],
    ['B', { categories: ['A', 'B'] }, 'pass'],
    ['abstain', { categories: 'any' }, 'abstain'],
    [{ said: 'fail', reasoning: 'too long' }, undefined, 'fail'],
    [{ status: 'pass', reasoning: 'good' }, undefined, 'pass'],
    [null, undefined, 'abstain'],
    // A word that is not declared is not a pass.
    ['passs', undefined, 'error'],
    ['C', { categories: ['A', 'B'] }, 'error'],
    [['pass'], undefined, 'error'],
    ['', undefined, 'error'],
    [7, undefined, 'error'],
  ])('%j with %j is %s', async (answer, options, status) => {
    expect((await judged(answer, options)).status).toBe(status)
  })

  test('keeps what is recorded beside it', async () => {
    const answer = { said: 'fail', reasoning: 'too long', costUsd: 0.02, usage: { inputTokens: 10 }, confidence: 0.7 }
    expect(await judged(answer)).toMatchObject({
      status: 'fail',
      reasoning: 'too long',
      costUsd: 0.02,
      usage: { inputTokens: 10 },
      metadata: { confidence: 0.7 },
    })
    expect((await judged('A', { categories: 'any' })).score).toMatchObject({ type: 'categorical', value: 'A' })
    expect((await judged(4, { range: { min: 1, max: 5 } })).score).toMatchObject({ value: 4, min: 1, max: 5 })
  })

  test('may be in a column, or in a cell as JSON', async () => {
    const judge = recorded('gpt4')
    expect((await runJudge(judge, { metadata: { 'said.gpt4': 'fail' } })).status).toBe('fail')
    expect((await runJudge(judge, { metadata: { said: '{"gpt4":"fail"}' } })).status).toBe('fail')
    expect((await runJudge(judge, { metadata: { said: '{"gpt4' } })).status).toBe('abstain')
    expect((await runJudge(judge, {})).reasoning).toBe('no answer of gpt4 is recorded: the item has no metadata.said')
  })

  test('may come from a function', async () => {
    const judge = recorded(({ metadata }) => metadata['verdict'], { name: 'mine', fail: ['2'] })
    expect(judge.name).toBe('mine')
    expect((await runJudge(judge, { metadata: { verdict: 2 } })).status).toBe('fail')
    expect(() => recorded(5 as never)).toThrow('give a name or a function')
    expect(() => recorded('x', { passs: ['1'] } as never)).toThrow('passs')
  })
})
