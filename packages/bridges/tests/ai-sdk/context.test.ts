import { runFacts } from '@jurist/bridges/agent'
import { type AiSdkResult, aiSdkModel, contextFromAiSdk, evaluateAiSdk } from '@jurist/bridges/ai-sdk'
import { userRequest } from '@jurist/core/llm'
import { describe, expect, test } from 'vitest'
import type { HttpRetries } from '../../src/http/http-options.js'
import { contextBridgeContract } from '../../testing/index.js'

const goal = 'Tell the weather'
const usage = { inputTokens: 10, outputTokens: 4, inputTokenDetails: { cacheReadTokens: 3 } }
const step = (finishReason: string, more: object = {}) => ({
  finishReason,
  usage,
  model: { provider: 'p', modelId: 'asked' },
  response: { modelId: 'answered' },
  ...more,
})
const result = (finishReason: string, more: object = {}): AiSdkResult => ({
  text: 'Sunny',
  finishReason,
  steps: [step(finishReason)],
  response: { id: 'r-1' },
  ...more,
})
const calls = step('tool-calls', {
  toolCalls: [
    { toolCallId: 'b', toolName: 'second', input: {} },
    { toolCallId: 'a', toolName: 'first', input: { n: 1 } },
    { toolCallId: 'c', toolName: 'third', input: '{"n":', invalid: true, error: new SyntaxError('bad') },
    { toolCallId: 'd', toolName: 'fourth', input: {} },
  ],
  toolResults: [
    { toolCallId: 'a', toolName: 'first', output: 'early', preliminary: true },
    { toolCallId: 'a', toolName: 'first', output: { ok: true } },
  ],
  content: [
    { type: 'tool-error', toolCallId: 'b', toolName: 'second', error: new TypeError('no') },
    { type: 'tool-output-denied', toolCallId: 'd', toolName: 'fourth' },
  ],
  sources: [
    { sourceType: 'url', id: 's1', url: 'https://example.org/', title: 'Example' },
    { sourceType: 'document', id: 's2', title: 'Report', mediaType: 'application/pdf', filename: 'r.pdf' },
    { sourceType: 'url', id: 's1', url: 'https://example.org/' },
  ],
})

contextBridgeContract({ describe, test }, 'ai-sdk', {
  prefix: 'ai-sdk',
  contextFrom: contextFromAiSdk,
  evaluate: evaluateAiSdk,
  samples: {
    ok: result('stop'),
    truncated: result('length'),
    refused: result('content-filter'),
    failed: result('interrupted'),
    unknown: result('brand-new'),
    tools: result('stop', { steps: [calls, step('stop')] }),
    empty: result('stop', { text: '' }),
  },
})

test('tools are joined, sources are unique, the model that answered is named', () => {
  const facts = runFacts(contextFromAiSdk(result('stop', { steps: [calls, step('stop')] }), { goal }).metadata)
  expect(facts).toMatchObject({ model: 'answered', provider: 'p', responseId: 'r-1', turns: 2 })
  expect(facts?.usage).toEqual({ inputTokens: 20, outputTokens: 8, cacheReadTokens: 6 })
  expect(facts?.usageReported).toEqual([usage, usage])
  expect(facts?.toolExecutions?.map(({ id, status, output }) => [id, status, output])).toEqual([
    ['b', 'failed', undefined],
    ['a', 'completed', { ok: true }],
    ['c', 'invalid', undefined],
    ['d', 'denied', undefined],
  ])
  expect(facts?.sources).toEqual([
    { id: 's1', type: 'url', title: 'Example', url: 'https://example.org/' },
    { id: 's2', type: 'document', title: 'Report', mediaType: 'application/pdf' },
  ])
})

test('usage: of the result where there are no steps; a count that one step lacks is absent', () => {
  const alone = runFacts(
    contextFromAiSdk({ text: 'x', finishReason: 'stop', usage: { ...usage, reasoningTokens: 1 } }, { goal }).metadata,
  )
  expect(alone?.usage).toEqual({ inputTokens: 10, outputTokens: 4, cacheReadTokens: 3, reasoningTokens: 1 })
  expect(alone).not.toHaveProperty('turns')
  const steps = [step('tool-calls'), step('stop', { usage: { inputTokens: 1, totalTokens: 9 } })]
  const partial = runFacts(contextFromAiSdk(result('stop', { steps }), { goal }).metadata)
  expect(partial?.usage).toEqual({ inputTokens: 11 })
  expect(partial?.warnings).toEqual([
    'usage-incomplete: outputTokens',
    'usage-incomplete: cacheReadTokens',
    'usage-incomplete: totalTokens',
  ])
})

test('output: data, a text, images; what is no image is left out with a warning', () => {
  const outputOf = (more: object) => contextFromAiSdk(result('stop', more), { goal })
  expect(outputOf({ output: { ok: true } }).agentOutput).toEqual({ type: 'structured', data: { ok: true } })
  expect(outputOf({ output: 'Sunny' }).agentOutput).toEqual({ type: 'text', text: 'Sunny' })
  const throwing = Object.defineProperty(result('stop'), 'output', {
    get: () => {
      throw new Error('no output')
    },
  })
  expect(contextFromAiSdk(throwing, { goal })).toMatchObject({ agentOutput: { type: 'text', text: 'Sunny' } })
  const files = [
    { mediaType: 'image/png', base64: 'AA==' },
    { mediaType: 'audio/mp3', base64: 'AA==' },
  ]
  const pictured = outputOf({ files })
  expect(pictured.agentOutput).toEqual({
    type: 'multimodal',
    parts: [
      { type: 'text', text: 'Sunny' },
      { type: 'image', mediaType: 'image/png', data: 'AA==' },
    ],
  })
  expect(runFacts(pictured.metadata)?.warnings).toEqual(['left out: files[1] (not an image)'])
})

test('a truncated answer may be a failure, with its reason', () => {
  const context = contextFromAiSdk(result('length'), { goal, onTruncated: 'failed' })
  expect(context).toMatchObject({
    status: 'failed',
    failure: { code: 'agent-failed', message: expect.stringContaining('length') },
  })
  expect(() => contextFromAiSdk(result('length'), { goal, onTruncated: 'ignored' } as never)).toThrow(
    /"onTruncated" must be one of/,
  )
})

test('an error of a provider without a status is a connection, another stays as it is', async () => {
  const model = (thrown: unknown) =>
    aiSdkModel(
      { specificationVersion: 'v3', provider: 'p', modelId: 'm', doGenerate: () => Promise.reject(thrown) },
      { retries: { attempts: 2, baseMs: 1 } },
    )
  const lost = Object.assign(new Error('lost'), { isRetryable: true, url: 'https://api.example.org/v1/chat' })
  await expect(model(lost)(userRequest('Hi'))).rejects.toMatchObject({
    code: 'model-connection',
    details: { host: 'api.example.org' },
  })
  const endless = { attempts: undefined, baseMs: 1, maxMs: undefined } as unknown as HttpRetries
  let calls = 0
  const doGenerate = () => {
    calls += 1
    return Promise.reject(lost)
  }
  const unsure = aiSdkModel(
    { specificationVersion: 'v3', provider: 'p', modelId: 'm', doGenerate },
    { retries: endless },
  )
  await expect(unsure(userRequest('Hi', { timeoutMs: 600_000 }))).rejects.toMatchObject({ code: 'model-connection' })
  expect(calls).toBe(3)
  const other = new TypeError('not supported')
  await expect(model(other)(userRequest('Hi'))).rejects.toBe(other)
})
