import { createOpenAICompatible as compatible6 } from '@ai-sdk/openai-compatible'
import { aiSdkModel } from '@jurist/bridges/ai-sdk'
import { userRequest } from '@jurist/core/llm'
import { createOpenAICompatible as compatible7 } from 'ai-sdk-openai-compatible-3'
import { describe, expect, test } from 'vitest'
import { scriptedServer } from '../../testing/index.js'

describe('aiSdkModel', () => {
  test('a schema in the prompt, where the provider takes none', async () => {
    await using server = await scriptedServer(() => ({ text: '```json\n{"ok":true}\n```' }))
    const local = compatible7({ name: 'local', baseURL: `${server.url}/v1` })('m')
    const model = aiSdkModel(local, { structured: 'prompt' })
    expect((await model(userRequest('Is it?', { responseSchema: { type: 'object' } }))).data).toEqual({ ok: true })
    expect(server.requests[0]?.body).not.toHaveProperty('response_format')
    expect(JSON.stringify(server.requests[0]?.body['messages'])).toContain('JSON Schema')
  })

  test('facts, cost by a table, options of the provider', async () => {
    await using server = await scriptedServer(() => ({ text: 'Hel', stop: 'length' }))
    const local = compatible6({ name: 'local', baseURL: `${server.url}/v1` })('m')
    const prices = {
      m: { inputPerMillion: 1_000, outputPerMillion: 2_000, cacheReadPerMillion: 100, cacheWritePerMillion: 1_250 },
    }
    const model = aiSdkModel(local, {
      prices,
      providerOptions: { local: { reasoning_effort: 'low', extra: 1 } },
      logprobs: 'off',
    })
    const { costUsd, metadata } = await model(userRequest('Is it?', { topLogprobs: 3 }))
    expect(costUsd).toBeGreaterThan(0)
    expect(metadata).toMatchObject({
      'ai-sdk.provider': 'local.chat',
      'ai-sdk.responseId': 'chatcmpl-scripted-0',
      'ai-sdk.finishReason': 'length',
      'ai-sdk.rawFinishReason': 'length',
      'ai-sdk.truncated': true,
      attempts: 1,
    })
    expect(server.requests[0]?.body).toMatchObject({ extra: 1 })
    expect(server.requests[0]?.body).not.toHaveProperty('logprobs')
  })

  test('what is no model object, or another model, is refused', async () => {
    const none = { provider: 'p', modelId: 'm', doGenerate: async () => ({}) }
    for (const model of ['gpt-5-mini', undefined, { ...none, specificationVersion: 'v2' }])
      expect(() => aiSdkModel(model as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    const model = aiSdkModel({ ...none, specificationVersion: 'v3' })
    await expect(model(userRequest('Is it?', { model: 'other' }))).rejects.toMatchObject({ code: 'option-invalid' })
    expect((await model(userRequest('Is it?', { model: 'm' }))).text).toBe('')
  })

  test('a wait above the longest one is not begun', async () => {
    await using server = await scriptedServer(() => ({ status: 429, headers: { 'retry-after': '31' } }))
    const model = aiSdkModel(compatible6({ name: 'local', baseURL: `${server.url}/v1` })('m'))
    await expect(model(userRequest('Is it?'))).rejects.toMatchObject({
      code: 'model-http',
      status: 429,
      retryAfterMs: 31_000,
    })
    expect(server.requests).toHaveLength(1)
  })
})
