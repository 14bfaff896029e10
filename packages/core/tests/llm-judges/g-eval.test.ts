import { type Judgment, runJudge } from '@jurist/core'
import { gEval, type JudgeModelResponse, type TokenLogprob } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../vectors.js'

const context = aContext({ goal: 'Sum it up.', agentOutput: 'In short: no.' })
const criteria = 'Is it coherent?'
const steps = ['Read it.']
const scoreOf = ({ score }: Judgment) => (score?.type === 'numerical' ? score.value : undefined)
const tokens = (...texts: readonly string[]): TokenLogprob[] =>
  texts.map((token) => ({ token, logprob: -0.1, top: [] }))

describe('the vectors of weighted scores', () => {
  const cases = casesOf('scores').filter(({ op }) => op === 'gEvalWeighted')
  test('are all there', () => expect(cases).toHaveLength(3))
  test.each(cases)('$id: $why', async ({ value, top, range, expected }) => {
    const alternatives = (top as [string, number][]).map(([token, logprob]) => ({ token, logprob }))
    const own = alternatives.find(({ token }) => token === String(value)) ?? { token: String(value), logprob: -1 }
    const logprobs = [...tokens('Score', ':'), { ...own, top: alternatives }]
    const model = scriptedModel({ text: `Score: ${value}`, logprobs })
    const judgment = await runJudge(gEval({ model, criteria, steps, scale: range as never }), context)
    expect(scoreOf(judgment)).toBeCloseTo((expected as { value: number }).value, 9)
    expect(judgment.metadata).toMatchObject({ plainScore: value, weighted: true, steps })
  })
})

describe('the weight of a score', () => {
  const judged = async (response: JudgeModelResponse, scale = { min: 0, max: 10 }) => {
    const judgment = await runJudge(gEval({ model: scriptedModel(response), criteria, steps, scale }), context)
    return [scoreOf(judgment), judgment.metadata['weighted']]
  }
  const half = Math.log(0.5)
  const quarter = Math.log(0.25)

  test('is that of the last token that is the score', async () => {
    const top = [
      { token: '7', logprob: half },
      { token: '9', logprob: half },
    ]
    const logprobs = [{ token: '7', logprob: -5, top: [] }, ...tokens(' of', ' 10'), { token: ' 7', logprob: -9, top }]
    expect(await judged({ text: 'Reasoning: 7 things\nScore: 7', logprobs })).toEqual([8, true])
  })
  test('counts the token itself when it is not among its alternatives', async () => {
    const logprobs = [{ token: '4', logprob: half, top: [{ token: '8', logprob: half }] }]
    expect(await judged({ text: 'Score: 4', logprobs })).toEqual([6, true])
  })
  test('leaves out words, fractions, numbers off the scale and impossible probabilities', async () => {
    const top = [
      { token: '4', logprob: quarter },
      { token: '4.5', logprob: half },
      { token: 'ten', logprob: half },
      { token: '11', logprob: half },
      { token: '-1', logprob: half },
      { token: '9', logprob: Number.NaN },
      { token: '8', logprob: 0.5 },
      { token: '10', logprob: null as never },
    ]
    expect(await judged({ text: 'Score: 4', logprobs: [{ token: '4', logprob: quarter, top }] })).toEqual([4, true])
  })
  test('falls back to the plain number without such a token, and for a number that is not whole', async () => {
    expect(await judged({ text: 'Score: 4', logprobs: tokens('Score', ':', ' four') })).toEqual([4, false])
    expect(await judged({ text: 'Score: 4.5', logprobs: tokens('4', '.', '5') })).toEqual([4.5, false])
    expect(await judged({ text: 'Score: 4', logprobs: [{ token: '4', logprob: -20, top: [] }] })).toEqual([4, false])
    expect(await judged({ text: 'Score: 4' })).toEqual([4, false])
  })
  test('stays on the scale whatever rounding does', async () => {
    const probabilities = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(probabilities, async (each) => {
        const top = each.map((probability) => ({ token: '10', logprob: Math.log(probability) }))
        const [value] = await judged({ text: 'Score: 10', logprobs: [{ token: '10', logprob: -1, top }] })
        expect(value).toBeCloseTo(10, 9)
        expect(value).toBeLessThanOrEqual(10)
      }),
    )
  })
})

describe('the steps', () => {
  const written =
    'Here they are:\n\n1. **Read** the goal.\n2) Read the output.\n**3.** Compare.\nStep 4: Score it.\nThat is all.'
  test('are made once, shared by judgments at the same time, and cost the one that made them', async () => {
    const model = scriptedModel({ text: written, costUsd: 5 }, () => ({ text: 'Score: 8', costUsd: 1 }))
    const judge = gEval({ model, criteria })
    const three = await Promise.all([1, 2, 3].map(() => runJudge(judge, context)))
    expect(three.map(({ costUsd }) => costUsd)).toEqual([6, 1, 1])
    expect((await runJudge(judge, context)).costUsd).toBe(1)
    expect(model.requests).toHaveLength(5)
    expect(three[2]?.metadata['steps']).toEqual(['**Read** the goal.', 'Read the output.', 'Compare.', 'Score it.'])
    expect(model.requests[1]?.messages[1]?.content).toContain('3. Compare.')
  })
  test('may also be a list without numbers', async () => {
    const judge = gEval({ model: scriptedModel('Sure:\n- Read it.\n* Score it.', 'Score: 8'), criteria })
    expect((await runJudge(judge, context)).metadata['steps']).toEqual(['Read it.', 'Score it.'])
  })
  test('are asked for without what is judged', async () => {
    const model = scriptedModel(written, 'Score: 8')
    await runJudge(gEval({ model, criteria }), context)
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('In short')
    expect(model.requests[0]?.options).toEqual({})
  })
  test('are made again after a failure, and after an answer without steps', async () => {
    const model = scriptedModel(new Error('down'), 'no idea', written, 'Score: 8')
    const judge = gEval({ model, criteria })
    const statuses: string[] = []
    for (const _ of [1, 2, 3]) statuses.push((await runJudge(judge, context)).status)
    expect(statuses).toEqual(['error', 'abstain', 'pass'])
  })
  test('are made by who waits when their maker gives up', async () => {
    const stop = new AbortController()
    const asked: AbortSignal[] = []
    const judge = gEval({
      criteria,
      model: ({ signal }) => {
        asked.push(signal)
        return asked.length === 1 ? new Promise(() => {}) : Promise.resolve({ text: `1. Read.\nScore: 8` })
      },
    })
    const first = runJudge(judge, { ...context, signal: stop.signal })
    await expect.poll(() => asked.length).toBe(1)
    const second = runJudge(judge, context)
    stop.abort(new Error('enough'))
    expect((await first).status).toBe('error')
    expect((await second).status).toBe('pass')
  })
})

describe('gEval', () => {
  test('asks for log-probabilities by default, or for as many as configured', async () => {
    const model = scriptedModel(() => 'Score: 8')
    const judged = (options: object) => runJudge(gEval({ model, criteria, steps, ...options }), context)
    await judged({})
    await judged({ logprobs: 'off' })
    await judged({ options: { topLogprobs: 5 } })
    expect(model.requests.map(({ options }) => options.topLogprobs)).toEqual([20, undefined, 5])
  })
  test('takes the mean of samples where there are no log-probabilities', async () => {
    const model = scriptedModel('Score: 6', 'Score: 9', 'hard to say', 'Score: 9')
    const judge = gEval({ model, criteria, steps, samples: 4, options: { seed: 10 } })
    const judgment = await runJudge(judge, context)
    expect(scoreOf(judgment)).toBe(8)
    expect(judgment.metadata).toMatchObject({ plainScore: 6, weighted: false, samples: 3 })
    expect(model.requests.map(({ metadata }) => metadata['sample'])).toEqual([0, 1, 2, 3])
    expect(model.requests.map(({ options }) => options.seed)).toEqual([10, 11, 12, 13])
  })
  test('asks once where there are', async () => {
    const model = scriptedModel({ text: 'Score: 6', logprobs: tokens('6') })
    expect((await runJudge(gEval({ model, criteria, steps, samples: 4 }), context)).metadata['weighted']).toBe(true)
  })
  test('passes from its threshold on, on its own scale', async () => {
    const judged = (text: string) =>
      runJudge(
        gEval({ model: scriptedModel(text), criteria, steps, scale: { min: 1, max: 5 }, threshold: 0.75 }),
        context,
      )
    expect((await judged('Score: 4')).status).toBe('pass')
    expect((await judged('Score: 3')).status).toBe('fail')
    expect((await judged('Score: 6')).status).toBe('abstain')
  })
  test('refuses what makes no sense', () => {
    const model = scriptedModel()
    const bad = [
      { criteria: ' ' },
      { criteria, steps: [] },
      { criteria, steps: ['a', ' '] },
      { criteria, scale: { min: 1, max: 1 } },
      { criteria, scale: { min: 0, max: Number.POSITIVE_INFINITY } },
      { criteria, threshold: 7 },
      { criteria, logprobs: 'on' },
      { criteria, samples: 0 },
      {},
    ]
    for (const options of bad)
      expect(() => gEval({ model, ...options } as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    expect(() => gEval({ steps: [], samples: 0 } as never)).toThrow(/"model".*"criteria"|"steps".*"samples"/)
  })
})
