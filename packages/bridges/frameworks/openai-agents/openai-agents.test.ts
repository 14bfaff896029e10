import { runFacts } from '@jurist/bridges/agent'
import {
  contextFromOpenAiAgents,
  evaluateOpenAiAgents,
  type OpenAiAgentsResult,
  observeOpenAiAgents,
  openAiAgentsAgent,
} from '@jurist/bridges/openai-agents'
import { asText, type JournalEvent } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contextBridgeContract, type ScriptedTurn, scriptedServer } from '../../testing/index.js'

setTracingDisabled(true)
const goal = 'Tell the weather'

interface Setting {
  readonly turns: readonly ScriptedTurn[]
  readonly protocol?: 'chat' | 'responses'
  readonly maxTurns?: number
  readonly needsApproval?: boolean
  readonly signal?: AbortSignal
}

/** A real run of a real agent over a scripted server. */
async function ran({ turns, protocol = 'chat', maxTurns = 5, needsApproval = false, signal }: Setting) {
  await using server = await scriptedServer(({ index }) => turns[index] ?? turns.at(-1) ?? { text: 'Done' })
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-contract', maxRetries: 0 })
  const Model = protocol === 'chat' ? OpenAIChatCompletionsModel : OpenAIResponsesModel
  const weather = tool({
    name: 'weather',
    description: 'Tells the weather',
    parameters: z.object({ city: z.string() }),
    needsApproval,
    execute: async ({ city }) => `${city}: 21 degrees`,
  })
  const agent = new Agent({ name: 'forecaster', model: new Model(client as never, 'scripted-model'), tools: [weather] })
  return (await run(agent, goal, { maxTurns, signal })) as OpenAiAgentsResult
}

const ask: ScriptedTurn = { tools: [{ name: 'weather', input: { city: 'Berlin' } }] }

contextBridgeContract<OpenAiAgentsResult>({ describe, test }, 'openai-agents, real results', {
  prefix: 'openai-agents',
  contextFrom: contextFromOpenAiAgents,
  evaluate: evaluateOpenAiAgents,
  samples: {
    ok: await ran({ turns: [{ text: 'Sunny' }] }),
    truncated: null,
    // The framework throws for a refusal; a result with one has no final output.
    refused: {
      rawResponses: [{ output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No' }] }] }],
      newItems: [],
    },
    failed: null,
    unknown: await ran({ turns: [ask], needsApproval: true }),
    tools: await ran({ turns: [ask, { text: 'Sunny' }] }),
    empty: { rawResponses: [], newItems: [] },
  },
})

describe.each(['chat', 'responses'] as const)('what is read of a real result over %s', (protocol) => {
  test('usage is the sum of the responses, tools are joined, the agent is named', async () => {
    const context = contextFromOpenAiAgents(await ran({ turns: [ask, { text: 'Sunny' }], protocol }), { goal })
    expect([context.status, asText(context.agentOutput)]).toEqual(['success', 'Sunny'])
    const facts = runFacts(context.metadata)
    expect(facts?.turns).toBe(2)
    expect(facts?.toolExecutions).toMatchObject([
      { name: 'weather', status: 'completed', step: 0, input: { city: 'Berlin' }, output: 'Berlin: 21 degrees' },
    ])
    expect(context.toolSteps).toEqual([
      { name: 'weather', status: 'completed', turn: 0, input: { city: 'Berlin' }, output: 'Berlin: 21 degrees' },
    ])
    expect(context.metadata['openai-agents.lastAgent']).toBe('forecaster')
    const one = runFacts(
      contextFromOpenAiAgents(await ran({ turns: [{ text: 'Sunny' }], protocol }), { goal }).metadata,
    )
    expect(facts?.usage?.outputTokens).toBeGreaterThan(one?.usage?.outputTokens ?? 0)
    expect(facts?.usage?.totalTokens).toBe((facts?.usage?.inputTokens ?? 0) + (facts?.usage?.outputTokens ?? 0))
  })
})

describe('endings', () => {
  test('a tool that waits for approval is unknown, and says so', async () => {
    const context = contextFromOpenAiAgents(await ran({ turns: [ask], needsApproval: true }), { goal })
    expect(context.status).toBe('unknown')
    expect(runFacts(context.metadata)?.warnings).toContain('awaiting-approval')
    expect(runFacts(context.metadata)?.toolExecutions).toMatchObject([{ status: 'unfinished' }])
  })

  test('a limit of turns is failed with max-turns, and the usage up to then is kept', async () => {
    const { context, result } = await observeOpenAiAgents(() => ran({ turns: [ask], maxTurns: 2 }), { goal })
    expect(result).toBeUndefined()
    expect([context.status, context.failure]).toEqual([
      'failed',
      expect.objectContaining({ code: 'max-turns', infrastructure: false }),
    ])
    expect(runFacts(context.metadata)?.turns).toBe(2)
    expect(runFacts(context.metadata)?.usage?.outputTokens).toBeGreaterThan(0)
  })

  test('a refused key is an infrastructure failure', async () => {
    const body = { error: { message: 'no such key' } }
    const { context } = await observeOpenAiAgents(() => ran({ turns: [{ status: 401, body }] }), { goal })
    expect([context.status, context.failure]).toEqual([
      'failed',
      expect.objectContaining({ code: 'http-401', infrastructure: true }),
    ])
  })
})

test('the agent answers, with its journal and the model that the caller names', async () => {
  const events: JournalEvent[] = []
  const prices = { m: { inputPerMillion: 1, outputPerMillion: 2 } }
  const agent = openAiAgentsAgent(({ signal }) => ran({ turns: [ask, { text: 'Sunny' }], signal }), {
    model: 'm',
    prices,
  })
  const invocation = await agent({
    prompt: goal,
    workspace: memoryWorkspace({}),
    signal: AbortSignal.timeout(20_000),
    record: (event) => void events.push(event),
  })
  expect([invocation.status, asText(invocation.output)]).toEqual(['completed', 'Sunny'])
  expect(invocation.costUsd).toBeGreaterThan(0)
  expect(events.filter(({ type }) => type === 'model-call')).toMatchObject([{ model: 'm' }, { model: 'm' }])
  expect(events.map(({ type }) => type)).toContain('tool-result')
})

test('a run that was broken off has cost what was used up to then', async () => {
  const prices = { m: { inputPerMillion: 1, outputPerMillion: 2 } }
  const agent = openAiAgentsAgent(() => ran({ turns: [ask], maxTurns: 2 }), { model: 'm', prices })
  const { failure, costUsd, metadata } = await agent({
    prompt: goal,
    workspace: memoryWorkspace({}),
    signal: AbortSignal.timeout(20_000),
  })
  expect(failure?.code).toBe('max-turns')
  expect(costUsd).toBeGreaterThan(0)
  expect(runFacts(metadata ?? {})?.warnings).toBeUndefined()
})
