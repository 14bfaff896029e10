import { runFacts } from '@jurist/bridges/agent'
import { contextFromMastra, evaluateMastra, type MastraResult, mastraAgent } from '@jurist/bridges/mastra'
import { asText, type JournalEvent } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'
import { contextBridgeContract } from '../../testing/index.js'

const goal = 'Tell the weather'
const usage = { inputTokens: 20, outputTokens: 4, totalTokens: 24, cachedInputTokens: 5, reasoningTokens: 1 }
const call = { type: 'tool-call', payload: { toolCallId: 'a', toolName: 'weather', args: { city: 'Berlin' } } }
const outcome = { type: 'tool-result', payload: { toolCallId: 'a', toolName: 'weather', result: { degrees: 21 } } }
const step = (text: string, more: object = {}) => ({
  text,
  usage,
  finishReason: 'stop',
  response: { modelId: 'm' },
  ...more,
})

/** A result as `agent.generate` of `@mastra/core` 0.24.9 gave it, with what belongs to one test changed. */
function recorded(more: MastraResult = {}): MastraResult {
  return {
    text: 'Sunny',
    finishReason: 'stop',
    usage,
    totalUsage: usage,
    steps: [step('Sunny')],
    toolCalls: [],
    toolResults: [],
    sources: [],
    warnings: [],
    response: { id: 'resp-1', modelId: 'm' },
    error: undefined,
    tripwire: false,
    tripwireReason: '',
    traceId: undefined,
    object: undefined,
    ...more,
  } as MastraResult
}

contextBridgeContract<MastraResult>({ describe, test }, 'mastra, recorded results', {
  prefix: 'mastra',
  contextFrom: contextFromMastra,
  evaluate: evaluateMastra,
  samples: {
    ok: recorded(),
    truncated: recorded({ finishReason: 'length' }),
    refused: recorded({ finishReason: 'content-filter' }),
    failed: recorded({ error: new TypeError('broke') }),
    unknown: recorded({ finishReason: 'brand-new' }),
    tools: recorded({ toolCalls: [call], toolResults: [outcome] }),
    empty: recorded({ text: '' }),
  },
})

describe('what is read of a result of Mastra', () => {
  test('usage is the sum of the steps, tools are joined to the step that called', () => {
    const steps = [step('', { toolCalls: [call], finishReason: 'tool-calls' }), step('Sunny')]
    const context = contextFromMastra(recorded({ steps, toolCalls: [call], toolResults: [outcome] }), { goal })
    const facts = runFacts(context.metadata)
    expect(facts?.usage).toEqual({
      inputTokens: 40,
      outputTokens: 8,
      reasoningTokens: 2,
      cacheReadTokens: 10,
      totalTokens: 48,
    })
    expect(facts?.turns).toBe(2)
    expect(context.toolSteps).toEqual([
      { name: 'weather', turn: 0, input: { city: 'Berlin' }, output: { degrees: 21 }, status: 'completed' },
    ])
    expect(facts?.toolExecutions).toEqual([
      { id: 'a', name: 'weather', step: 0, input: { city: 'Berlin' }, output: { degrees: 21 }, status: 'completed' },
    ])
  })

  test('without a usage of steps the total counts', () => {
    const facts = runFacts(contextFromMastra(recorded({ steps: [{ text: 'Sunny' }] }), { goal }).metadata)
    expect(facts?.usage?.inputTokens).toBe(20)
  })

  test('a tripwire is refused, with its reason', () => {
    const context = contextFromMastra(recorded({ tripwire: true, tripwireReason: 'no secrets', text: '' }), { goal })
    expect([context.status, context.metadata['mastra.tripwireReason']]).toEqual(['refused', 'no secrets'])
  })

  test('an error is failed, whatever the finish reason', () => {
    const context = contextFromMastra(recorded({ error: new TypeError('broke') }), { goal })
    expect([context.status, context.failure?.message]).toEqual(['failed', 'broke'])
  })

  test('data, sources, a failed tool, the trace', () => {
    const sources = [
      { type: 'source', payload: { id: 's', sourceType: 'url', url: 'https://weather.test/', title: 'Weather' } },
    ]
    const failed = {
      type: 'tool-result',
      payload: { toolCallId: 'a', toolName: 'weather', result: new Error('no city'), isError: true },
    }
    const result = recorded({
      object: { degrees: 21 },
      sources,
      toolCalls: [call],
      toolResults: [failed],
      traceId: 't-1',
    })
    const context = contextFromMastra(result, { goal })
    expect(context.agentOutput).toEqual({ type: 'structured', data: { degrees: 21 } })
    expect(context.metadata['mastra.traceId']).toBe('t-1')
    const facts = runFacts(context.metadata)
    expect(facts?.sources).toEqual([{ id: 's', type: 'url', title: 'Weather', url: 'https://weather.test/' }])
    expect(facts?.toolExecutions).toMatchObject([{ status: 'failed', failure: { message: 'no city' } }])
  })
})

test('the agent answers, with its journal', async () => {
  const events: JournalEvent[] = []
  const agent = mastraAgent(async () => recorded({ steps: [step('Sunny')] }))
  const invocation = await agent({
    prompt: goal,
    workspace: memoryWorkspace({}),
    signal: new AbortController().signal,
    record: (event) => void events.push(event),
  })
  expect([invocation.status, asText(invocation.output), invocation.usage?.inputTokens]).toEqual([
    'completed',
    'Sunny',
    20,
  ])
  expect(events.map(({ type }) => type)).toEqual(['state', 'prompt', 'model-call', 'text', 'state'])
})
