import { abstain, asText, error, fail, infoOf, outputText, pass, runJudge } from '@jurist/core'
import type { Classify, JudgeModel, Prompt } from '@jurist/core/llm'
import { llmJudge, modelJudge, passFail, promptTemplate, userRequest } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const prompt: Prompt = () => ({ messages: [{ role: 'user', content: 'PASS or FAIL?' }], fence: 'f1' })
const judgeOf = (model: JudgeModel, more: Partial<Parameters<typeof modelJudge>[0]> = {}) =>
  modelJudge({ name: 'mine', prompt, model, classify: passFail(), ...more })
const never: JudgeModel = () => new Promise(() => undefined)

describe('modelJudge', () => {
  test('asks with the prompt, the options, the fence and a signal, and keeps what the answer says', async () => {
    const model = scriptedModel({
      text: 'PASS',
      model: 'm-1',
      usage: { inputTokens: 10, outputTokens: 2 },
      costUsd: 0.001,
    })
    const options = { temperature: 0, seed: 7, model: 'm' }
    const judgment = await runJudge(judgeOf(model, { options }), aContext())
    expect(judgment).toMatchObject({
      status: 'pass',
      usage: { inputTokens: 10, outputTokens: 2 },
      costUsd: 0.001,
      metadata: { label: 'PASS', model: 'm-1', rawText: 'PASS' },
    })
    expect(judgment.metadata).not.toHaveProperty('cached')
    const [request] = model.requests
    expect(request?.options).toEqual(options)
    expect(request?.messages).toEqual([{ role: 'user', content: 'PASS or FAIL?' }])
    expect(request?.metadata).toEqual({ fence: 'f1' })
    expect(model.requests).toHaveLength(1)
  })
  test('what the provider did not report is absent; the requested model is used instead', async () => {
    const judgment = await runJudge(judgeOf(scriptedModel('no idea'), { options: { model: 'm' } }), aContext())
    expect(judgment.status).toBe('abstain')
    expect(judgment).not.toHaveProperty('usage')
    expect(judgment).not.toHaveProperty('costUsd')
    expect(judgment.metadata).toEqual({ unread: 'none', model: 'm', rawText: 'no idea' })
  })
  test('a cost of 0 is a cost, a cached answer says so', async () => {
    const model = scriptedModel({ text: 'PASS', costUsd: 0, metadata: { cached: true } })
    const judgment = await runJudge(judgeOf(model), aContext())
    expect([judgment.costUsd, judgment.metadata['cached']]).toEqual([0, true])
  })
  test('a long answer is cut, and says so', async () => {
    const judgment = await runJudge(judgeOf(scriptedModel(`PASS\n${'x'.repeat(5_000)}`)), aContext())
    expect(judgment.metadata).toMatchObject({ rawTextTruncated: true })
    expect(judgment.metadata['rawText']).toHaveLength(4_000)
  })
  test('what the classifier sets wins', async () => {
    const classify: Classify = () => pass('mine', { metadata: { model: 'other', rawText: 'short' }, costUsd: 3 })
    const judgment = await runJudge(judgeOf(scriptedModel({ text: 'x', costUsd: 1 }), { classify }), aContext())
    expect(judgment).toMatchObject({ costUsd: 3, metadata: { model: 'other', rawText: 'short' } })
  })
  test('data alone is an answer; empty text abstains', async () => {
    const seen: unknown[] = []
    const classify: Classify = (response) => {
      seen.push(response)
      return pass('fine')
    }
    for (const answer of [{ data: { a: 1 } }, { text: null, data: { a: 1 } }])
      await runJudge(
        judgeOf(async () => answer as never, { classify }),
        aContext(),
      )
    expect(seen).toEqual(Array(2).fill({ data: { a: 1 }, text: '' }))
    expect((await runJudge(judgeOf(scriptedModel('')), aContext())).status).toBe('abstain')
  })
  test.each([
    [undefined],
    [null],
    ['PASS'],
    [{}],
    [{ text: 7 }],
    [{ text: null }],
    [{ text: 7, data: 1 }],
    [{ text: 'PASS', usage: { inputTokens: -1 } }],
    [{ text: 'PASS', costUsd: Number.NaN }],
  ])('an answer of %j is an error', async (answer) => {
    const judgment = await runJudge(
      judgeOf(async () => answer as never),
      aContext(),
    )
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'response-invalid' } })
  })
  test('law 1: whatever fails makes an error, never a fail', async () => {
    const boom = () => {
      throw new Error('boom')
    }
    const broken = [
      judgeOf(scriptedModel(new Error('boom'))),
      judgeOf(scriptedModel('PASS'), { prompt: boom }),
      judgeOf(scriptedModel('PASS'), { classify: boom }),
      judgeOf(scriptedModel('PASS'), { classify: async () => boom() }),
    ]
    for (const judge of broken)
      expect(await runJudge(judge, aContext())).toMatchObject({ status: 'error', failure: { message: 'boom' } })
  })
  test('a classifier that throws does not lose what the answer cost', async () => {
    const classify: Classify = () => {
      throw new Error('boom')
    }
    const judgment = await runJudge(judgeOf(scriptedModel({ text: 'PASS', costUsd: 0.5 }), { classify }), aContext())
    expect(judgment).toMatchObject({ status: 'error', costUsd: 0.5, metadata: { rawText: 'PASS' } })
  })
  test('a classifier that answers with nonsense is an error', async () => {
    const classify = () => ({ status: 'maybe' }) as never
    expect((await runJudge(judgeOf(scriptedModel('PASS'), { classify }), aContext())).status).toBe('error')
  })
  test('a model that takes too long is an error, and its signal fires', async () => {
    let signal: AbortSignal | undefined
    const slow: JudgeModel = (request) => {
      signal = request.signal
      return never(request)
    }
    const judgment = await runJudge(judgeOf(slow, { options: { timeoutMs: 20 } }), aContext())
    expect(judgment).toMatchObject({ status: 'error', failure: { code: 'model-timeout' } })
    expect(signal?.aborted).toBe(true)
  })
  test('an abort ends the wait immediately, and reaches the model', async () => {
    const abort = new AbortController()
    let signal: AbortSignal | undefined
    const slow: JudgeModel = (request) => {
      signal = request.signal
      return never(request)
    }
    const judged = runJudge(judgeOf(slow), aContext({ signal: abort.signal }))
    setTimeout(() => abort.abort(new Error('enough')), 5)
    expect(await judged).toMatchObject({ status: 'error', failure: { code: 'aborted' } })
    expect(signal?.aborted).toBe(true)
  })
  test('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const abort = new AbortController()
    const pending = runJudge(judgeOf(never), aContext({ signal: abort.signal }))
    await runJudge(judgeOf(scriptedModel('PASS')), aContext())
    abort.abort()
    await pending
    await new Promise((resolve) => setImmediate(resolve))
    expect(timers()).toBeLessThanOrEqual(before)
  })
  test('is a judge of the kind model', () => {
    const judge = judgeOf(scriptedModel(), { description: 'says so' })
    expect(infoOf(judge)).toMatchObject({ name: 'mine', kind: 'model', description: 'says so' })
    expect(judge.name).toBe('mine')
  })
  test.each(['prompt', 'model', 'classify', 'name'])('without %s it is refused', (part) => {
    const make = () => judgeOf(scriptedModel(), { [part]: undefined })
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(part) }))
  })
  test('a bad name and a bad limit are refused', () => {
    expect(() => judgeOf(never, { name: ' ' })).toThrow(expect.objectContaining({ code: 'name-invalid' }))
    const options = { timeoutMs: 0 }
    expect(() => judgeOf(never, { options })).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
})

describe('llmJudge', () => {
  const polite = (model: JudgeModel) =>
    llmJudge({
      name: 'polite',
      model,
      buildPrompt: ({ agentOutput }) => `Polite? ${asText(agentOutput)}`,
      parseResponse: (text) => (text === 'yes' ? pass('polite') : text === 'no' ? fail('rude') : abstain('unclear')),
    })

  test('sends one user message and reads text', async () => {
    const model = scriptedModel({ text: 'yes', model: 'm', usage: { totalTokens: 3 } }, 'no', '?')
    const context = aContext({ agentOutput: 'please' })
    expect(await runJudge(polite(model), context)).toMatchObject({
      status: 'pass',
      usage: { totalTokens: 3 },
      metadata: { model: 'm', rawText: 'yes' },
    })
    expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: 'Polite? please' }])
    expect((await runJudge(polite(model), context)).status).toBe('fail')
    expect((await runJudge(polite(model), context)).status).toBe('abstain')
  })
  test('what parseResponse says is kept, an error too', async () => {
    const judge = llmJudge({
      name: 'broken',
      model: scriptedModel({ text: 'x', costUsd: 1 }),
      buildPrompt: async () => 'x',
      parseResponse: async () => error('cannot say'),
    })
    expect(await runJudge(judge, aContext())).toMatchObject({ status: 'error', reasoning: 'cannot say', costUsd: 1 })
  })
  test.each(['name', 'model', 'buildPrompt', 'parseResponse'])('without %s it is refused', (part) => {
    const whole = { name: 'n', model: never, buildPrompt: () => '', parseResponse: () => pass('x') }
    const make = () => llmJudge({ ...whole, [part]: undefined } as never)
    expect(make).toThrow(expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(part) }))
  })
  test('the parts work alone', async () => {
    const template = promptTemplate('t', '{{output}}')
    expect((await template(aContext({ agentOutput: 'o' }))).messages).toHaveLength(1)
    expect((await passFail()(await scriptedModel('FAIL')(userRequest('?')), aContext())).status).toBe('fail')
    expect((await runJudge(outputText({ contains: 'o' }), aContext({ agentOutput: 'o' }))).status).toBe('pass')
  })
})

describe('scriptedModel', () => {
  test('answers in order, and remembers every call', async () => {
    const model = scriptedModel(
      'a',
      { text: 'b', costUsd: 1 },
      new Error('c'),
      ({ messages }) => messages[0]?.content ?? '',
    )
    expect(await model(userRequest('1'))).toEqual({ text: 'a' })
    expect(await model(userRequest('2'))).toEqual({ text: 'b', costUsd: 1 })
    await expect(model(userRequest('3'))).rejects.toThrow('c')
    expect((await model(userRequest('4'))).text).toBe('4')
    expect((await model(userRequest('5'))).text).toBe('5')
    expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual(['1', '2', '3', '4', '5'])
  })
  test('a function elsewhere answers once', async () => {
    const model = scriptedModel(() => 'a', 'b')
    const texts = [(await model(userRequest('x'))).text, (await model(userRequest('x'))).text]
    expect(texts).toEqual(['a', 'b'])
    const exhausted = expect.objectContaining({ code: 'script-exhausted' })
    await expect(model(userRequest('x'))).rejects.toThrow(exhausted)
    expect(model.requests).toHaveLength(3)
  })
  test('an aborted call is recorded, and uses up nothing', async () => {
    const model = scriptedModel('a')
    const aborted = expect.objectContaining({ code: 'aborted' })
    await expect(model(userRequest('x', {}, AbortSignal.abort()))).rejects.toThrow(aborted)
    expect((await model(userRequest('x'))).text).toBe('a')
    expect(model.requests).toHaveLength(2)
  })
  test('a reply that takes its time can be aborted', async () => {
    const abort = new AbortController()
    const answer = scriptedModel(() => new Promise<string>(() => undefined))(userRequest('x', {}, abort.signal))
    abort.abort()
    await expect(answer).rejects.toThrow(expect.objectContaining({ code: 'aborted' }))
  })
})
