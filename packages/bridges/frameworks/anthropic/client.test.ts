import Anthropic from '@anthropic-ai/sdk'
import { runFacts } from '@jurist/bridges/agent'
import { contextFromAnthropic, evaluateAnthropic, observeAnthropic } from '@jurist/bridges/anthropic'
import { asText, outputText } from '@jurist/core'
import { expect, test } from 'vitest'
import { type ScriptedTurn, scriptedServer, scriptedUsage } from '../../testing/index.js'

const goal = 'Say hello'
const clientAt = (url: string) => new Anthropic({ baseURL: url, apiKey: 'sk-client', maxRetries: 0 })
const asking = { model: 'scripted', max_tokens: 100, messages: [{ role: 'user', content: goal }] } as const
const ask = (client: Anthropic, signal?: AbortSignal) =>
  client.messages.create({ ...asking, messages: [...asking.messages] }, signal === undefined ? {} : { signal })
const serve = (turn: ScriptedTurn) => scriptedServer(() => turn)
const { totalTokens: _, ...usage } = scriptedUsage

test.each(['whole', 'streamed'])('a message of the real client is a context: %s', async (form) => {
  await using server = await serve({ text: 'Hello there', tools: [{ name: 'look', input: { at: 1 } }] })
  const client = clientAt(server.url)
  const streamed = () => client.messages.stream({ ...asking, messages: [...asking.messages] }).finalMessage()
  const context = contextFromAnthropic(await (form === 'whole' ? ask(client) : streamed()), { goal })
  expect([context.status, asText(context.agentOutput)]).toEqual(['success', 'Hello there'])
  expect(runFacts(context.metadata)).toMatchObject({
    bridge: 'anthropic',
    model: 'scripted',
    finishReason: 'tool_use',
    toolExecutions: [{ id: 'toolu_0_0', name: 'look', input: { at: 1 }, status: 'unfinished' }],
  })
  expect(context.toolSteps).toEqual([{ name: 'look', input: { at: 1 }, status: 'unfinished', turn: 0 }])
  expect(runFacts(context.metadata)?.usage).toEqual(usage)
})

test.each([
  [{ status: 529 }, { code: 'http-529', infrastructure: true }],
  [{ status: 413 }, { code: 'http-413', infrastructure: false }],
  [{ cut: 'after-headers' }, { infrastructure: true }],
] as const)('%j is a failed run', async (turn, failure) => {
  await using server = await serve(turn)
  const { context } = await observeAnthropic((signal) => ask(clientAt(server.url), signal), { goal })
  expect(context).toMatchObject({ status: 'failed', failure })
})

test('an abort is cancelled, a limit a timeout', async () => {
  await using slow = await serve({ delayMs: 5_000 })
  const run = (signal: AbortSignal) => ask(clientAt(slow.url), signal)
  expect((await observeAnthropic(run, { goal, timeoutMs: 50 })).context.status).toBe('timeout')
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 50)
  expect((await observeAnthropic(run, { goal, signal: stop.signal })).context.status).toBe('cancelled')
})

test('is judged in one line', async () => {
  await using server = await serve({ text: 'Hello' })
  const run = (signal: AbortSignal) => ask(clientAt(server.url), signal)
  expect((await evaluateAnthropic(run, outputText({ contains: 'Hello' }), { goal })).status).toBe('pass')
})
