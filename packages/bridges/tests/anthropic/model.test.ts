import { anthropicModel } from '@jurist/bridges/anthropic'
import { userRequest } from '@jurist/core/llm'
import { describe, expect, test } from 'vitest'
import { type ScriptedTurn, scriptedServer, scriptedUsage } from '../../testing/index.js'

const serve = (...turns: readonly ScriptedTurn[]) => scriptedServer(({ index }) => turns[index] ?? { text: 'ok' })
const modelAt = (baseUrl: string, more: object = {}) =>
  anthropicModel({ baseUrl, model: 'claude-test', apiKey: 'sk-ant-secret', ...more })
const { totalTokens: _, ...usage } = scriptedUsage

describe('what goes out', () => {
  test('the key, the version, the system apart, equal neighbours joined, a limit', async () => {
    await using server = await serve()
    const model = modelAt(server.url, { version: '2024-01-01', headers: { 'anthropic-beta': 'x' }, body: { top_k: 5 } })
    await model({
      ...userRequest('', { temperature: 0 }),
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One' },
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Two' },
        { role: 'assistant', content: 'Three' },
      ],
    })
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': 'sk-ant-secret', 'anthropic-version': '2024-01-01', 'anthropic-beta': 'x' },
    })
    expect(server.requests[0]?.body).toEqual({
      model: 'claude-test',
      max_tokens: 4_096,
      system: 'Be brief.\n\nBe kind.',
      messages: [
        { role: 'user', content: 'One\n\nTwo' },
        { role: 'assistant', content: 'Three' },
      ],
      temperature: 0,
      top_k: 5,
    })
  })

  test('limits: of the request, of the option', async () => {
    await using server = await serve()
    const model = modelAt(server.url, { maxTokens: 10 })
    await model(userRequest('Hi'))
    await model(userRequest('Hi', { maxTokens: 20, model: 'claude-other' }))
    expect(server.requests.map(({ body }) => [body['model'], body['max_tokens']])).toEqual([
      ['claude-test', 10],
      ['claude-other', 20],
    ])
  })

  test.each([
    ['schema', 'output_config'],
    ['tool', 'tool_choice'],
    ['prompt', undefined],
  ] as const)('a schema by %s', async (structured, field) => {
    await using server = await serve()
    await modelAt(server.url, { structured })(userRequest('Hi', { responseSchema: { type: 'object' } }))
    const { body } = server.requests[0] ?? { body: {} }
    expect(Object.keys(body).filter((key) => ['output_config', 'tool_choice'].includes(key))).toEqual(
      field === undefined ? [] : [field],
    )
    expect(JSON.stringify(body).includes('JSON Schema')).toBe(structured === 'prompt')
  })
})

describe('what comes back', () => {
  test('text, usage with its cached parts, cost, facts, warnings', async () => {
    await using server = await serve({ text: 'Hel', stop: 'max_tokens' })
    const prices = {
      'claude-test': { inputPerMillion: 1e6, outputPerMillion: 0, cacheReadPerMillion: 0, cacheWritePerMillion: 2e6 },
    }
    expect(await modelAt(server.url, { prices })(userRequest('Hi', { seed: 1, topLogprobs: 5 }))).toEqual({
      text: 'Hel',
      model: 'claude-test',
      usage,
      costUsd: 50 + 2 * 10,
      metadata: {
        finishReason: 'max_tokens',
        responseId: 'msg_scripted_0',
        attempts: 1,
        truncated: true,
        warnings: ['unsupported: seed', 'unsupported: topLogprobs'],
      },
    })
  })

  test('what is no message, and an error under a status of success', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    await using server = await serve({ body: error }, { body: {} }, { body: 'no json' })
    const model = modelAt(server.url)
    for (const reason of ['Overloaded', 'no content', 'not JSON'])
      await expect(model(userRequest('Hi'))).rejects.toMatchObject({
        code: 'model-response',
        message: expect.stringContaining(reason),
      })
  })

  test('a key that comes back as a fact is blanked', async () => {
    const content = [{ type: 'text', text: 'ok' }]
    await using server = await serve({ body: { id: 'msg sk-ant-secret', content, stop_reason: 'end_turn' } })
    const { metadata } = await modelAt(server.url)(userRequest('Hi'))
    expect(metadata?.['responseId']).toBe('msg ***')
  })

  test('one attempt is one request', async () => {
    await using server = await serve({ status: 529 })
    await expect(modelAt(server.url, { retries: { attempts: 1 } })(userRequest('Hi'))).rejects.toMatchObject({
      code: 'model-http',
      status: 529,
      infrastructure: true,
    })
    expect(server.requests).toHaveLength(1)
  })
})

test('no base and no key are needed to make one', () => {
  expect(typeof anthropicModel({ model: 'claude-test', apiKey: undefined })).toBe('function')
  expect(() => anthropicModel({ model: 'm', structured: 'auto' } as never)).toThrow(
    expect.objectContaining({ code: 'option-invalid' }),
  )
})
