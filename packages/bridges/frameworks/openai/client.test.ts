import { runFacts } from '@jurist/bridges/agent'
import {
  contextFromChatCompletion,
  evaluateChatCompletion,
  observeChatCompletion,
} from '@jurist/bridges/openai-compatible'
import { asText, outputText } from '@jurist/core'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { type ScriptedTurn, scriptedServer, scriptedUsage } from '../../testing/index.js'

const goal = 'Say hello'
const clientAt = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-client', maxRetries: 0 })
const ask = (client: OpenAI, signal?: AbortSignal) =>
  client.chat.completions.create(
    { model: 'scripted', messages: [{ role: 'user', content: goal }] },
    signal === undefined ? {} : { signal },
  )
const serve = (turn: ScriptedTurn) => scriptedServer(() => turn)

test('a completion of the real client is a context', async () => {
  await using server = await serve({ text: 'Hello', tools: [{ name: 'look', input: { at: 1 } }] })
  const context = contextFromChatCompletion(await ask(clientAt(server.url)), { goal })
  expect([context.status, asText(context.agentOutput)]).toEqual(['success', 'Hello'])
  expect(runFacts(context.metadata)).toMatchObject({
    bridge: 'openai',
    model: 'scripted',
    finishReason: 'tool_calls',
    usage: scriptedUsage,
    toolExecutions: [{ id: 'call_0_0', name: 'look', input: { at: 1 }, status: 'unfinished' }],
  })
  expect(context.toolSteps).toEqual([{ name: 'look', input: { at: 1 }, status: 'unfinished', turn: 0 }])
  expect(context.metadata['openai.systemFingerprint']).toBe('fp_scripted')
})

test('the stream of the server is one that the real client understands', async () => {
  await using server = await serve({ text: 'Hello there', tools: [{ name: 'look', input: { at: 1 } }] })
  const stream = clientAt(server.url).chat.completions.stream({
    model: 'scripted',
    messages: [{ role: 'user', content: goal }],
    stream_options: { include_usage: true },
  })
  const completion = await stream.finalChatCompletion()
  const context = contextFromChatCompletion(completion, { goal })
  expect(asText(context.agentOutput)).toBe('Hello there')
  expect(runFacts(context.metadata)).toMatchObject({ usage: scriptedUsage, toolExecutions: [{ input: { at: 1 } }] })
})

test('responses, whole and streamed, are those that the real client understands', async () => {
  await using server = await serve({
    text: 'Hello there',
    tools: [
      { name: 'look', input: { at: 1 } },
      { name: 'patch', input: '*** x', custom: true },
    ],
  })
  const client = clientAt(server.url)
  const whole = await client.responses.create({ model: 'scripted', input: goal })
  expect([whole.output_text, whole.usage?.input_tokens]).toEqual(['Hello there', scriptedUsage.inputTokens])
  const streamed = await client.responses.stream({ model: 'scripted', input: goal }).finalResponse()
  expect(streamed.output.map(({ type }) => type)).toEqual(['message', 'function_call', 'custom_tool_call'])
  expect(streamed.output_text).toBe('Hello there')
})

test.each([
  [{ status: 429 }, { code: 'http-429', infrastructure: true }],
  [{ status: 400 }, { code: 'http-400', infrastructure: false }],
  [{ cut: 'after-headers' }, { infrastructure: true }],
] as const)('%j is a failed run', async (turn, failure) => {
  await using server = await serve(turn)
  const { context } = await observeChatCompletion((signal) => ask(clientAt(server.url), signal), { goal })
  expect(context).toMatchObject({ status: 'failed', failure })
})

test('an unreachable server is an infrastructure failure, a limit a timeout', async () => {
  const gone = await serve({})
  await gone[Symbol.asyncDispose]()
  const { context } = await observeChatCompletion((signal) => ask(clientAt(gone.url), signal), { goal })
  expect(context).toMatchObject({ status: 'failed', failure: { infrastructure: true } })
  await using slow = await serve({ delayMs: 5_000 })
  const late = await observeChatCompletion((signal) => ask(clientAt(slow.url), signal), { goal, timeoutMs: 50 })
  expect(late.context.status).toBe('timeout')
  const impatient = new OpenAI({ baseURL: slow.url, apiKey: 'k', maxRetries: 0, timeout: 50 })
  expect((await observeChatCompletion(() => ask(impatient), { goal })).context.status).toBe('timeout')
})

test('is judged in one line', async () => {
  await using server = await serve({ text: 'Hello' })
  const run = (signal: AbortSignal) => ask(clientAt(server.url), signal)
  expect((await evaluateChatCompletion(run, outputText({ contains: 'Hello' }), { goal })).status).toBe('pass')
})
