import { runFacts } from '@jurist/bridges/agent'
import {
  contextFromLangChain,
  evaluateLangChain,
  type LangChainResult,
  langChainAgent,
  langChainModel,
  observeLangChain,
} from '@jurist/bridges/langchain'
import { asText, type JournalEvent } from '@jurist/core'
import { userRequest } from '@jurist/core/llm'
import { memoryWorkspace } from '@jurist/core/testing'
import { Document } from '@langchain/core/documents'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contextBridgeContract, modelBridgeContract, type ScriptedTurn, scriptedServer } from '../../testing/index.js'

const goal = 'Tell the weather'
const apiKey = 'sk-contract-of-langchain'
const chat = (url: string, more: object = {}) =>
  new ChatOpenAI({ model: 'scripted-model', apiKey, maxRetries: 0, configuration: { baseURL: `${url}/v1` }, ...more })

const weather = tool(
  async ({ city }: { city: string }) => {
    if (city === 'Atlantis') throw new TypeError('no such city')
    return [
      `${city}: 21 degrees`,
      [new Document({ pageContent: `It is 21 in ${city}`, metadata: { source: 'https://weather.test/', score: 0.9 } })],
    ]
  },
  {
    name: 'weather',
    description: 'Tells the weather',
    schema: z.object({ city: z.string() }),
    responseFormat: 'content_and_artifact',
  },
)

/** The loop of an agent over real messages and real tools: ask, run what was called, ask again. */
async function conversation(turns: readonly ScriptedTurn[], signal?: AbortSignal): Promise<BaseMessage[]> {
  await using server = await scriptedServer(({ index }) => turns[index] ?? { text: 'Done' })
  const model = chat(server.url).bindTools([weather])
  const messages: BaseMessage[] = [new HumanMessage('How is the weather?')]
  for (;;) {
    const answer = await model.invoke(messages, signal === undefined ? {} : { signal })
    messages.push(answer)
    if (!answer.tool_calls?.length) return messages
    for (const call of answer.tool_calls) {
      const id = call.id ?? ''
      const result = await weather
        .invoke({ ...call, type: 'tool_call' })
        .catch(
          (thrown: unknown) =>
            new ToolMessage({ content: String(thrown), tool_call_id: id, name: 'weather', status: 'error' }),
        )
      messages.push(result as ToolMessage)
    }
  }
}

const ask = (city: string): ScriptedTurn => ({ tools: [{ name: 'weather', input: { city } }] })
const last = async (turn: ScriptedTurn) => (await conversation([turn])).at(-1) as AIMessage

contextBridgeContract<LangChainResult>({ describe, test }, 'langchain, real messages', {
  prefix: 'langchain',
  contextFrom: contextFromLangChain,
  evaluate: evaluateLangChain,
  samples: {
    ok: await last({ text: 'Sunny' }),
    truncated: await last({ text: 'Sun', stop: 'length' }),
    refused: await last({ text: 'No', stop: 'content_filter' }),
    failed: null,
    unknown: await last({ text: 'Sunny', stop: 'brand-new' }),
    tools: (await conversation([ask('Berlin'), { text: 'Sunny' }])) as LangChainResult,
    empty: await last({ text: '' }),
  },
})

modelBridgeContract({ describe, test }, 'langchain', ({ url }) => langChainModel(chat(url)), {
  structured: true,
  logprobs: false,
  retries: false,
})

describe('what is read of real messages', () => {
  test('usage is the sum of the answers, tools are joined, documents are sources', async () => {
    const messages = await conversation([ask('Berlin'), ask('Atlantis'), { text: 'Sunny' }])
    const context = contextFromLangChain({ messages }, { goal })
    expect([context.status, asText(context.agentOutput)]).toEqual(['success', 'Sunny'])
    expect(context.referenceData).toEqual(['It is 21 in Berlin'])
    const facts = runFacts(context.metadata)
    expect(facts?.turns).toBe(3)
    expect(facts?.model).toBe('scripted-model')
    expect(facts?.toolExecutions?.map(({ name, status, step, input }) => ({ name, status, step, input }))).toEqual([
      { name: 'weather', status: 'completed', step: 0, input: { city: 'Berlin' } },
      { name: 'weather', status: 'failed', step: 1, input: { city: 'Atlantis' } },
    ])
    expect(context.toolSteps?.map(({ name, status, turn }) => [name, status, turn])).toEqual([
      ['weather', 'completed', 0],
      ['weather', 'failed', 1],
    ])
    expect(facts?.sources).toMatchObject([{ type: 'url', url: 'https://weather.test/', score: 0.9 }])
    const one = runFacts(contextFromLangChain([messages.at(-1) as AIMessage], { goal }).metadata)?.usage
    expect(facts?.usage?.inputTokens).toBe((one?.inputTokens ?? 0) * 3)
  })

  test('only what came after the last human counts, and each message once', () => {
    const usage_metadata = { input_tokens: 10, output_tokens: 2, total_tokens: 12 }
    const answer = (id: string, content: string) =>
      new AIMessage({ id, content, usage_metadata, response_metadata: { stop_reason: 'end_turn' } } as never)
    const messages = [answer('a', 'earlier'), new HumanMessage('Again'), answer('b', 'now'), answer('b', 'now')]
    const facts = runFacts(contextFromLangChain(messages, { goal }).metadata)
    expect(facts?.usage).toEqual({ inputTokens: 10, outputTokens: 2, totalTokens: 12 })
  })

  test.each([
    ['SAFETY', 'refused'],
    ['STOP', 'success'],
    ['max_tokens', 'success'],
    ['whatever', 'unknown'],
  ])('the reason %s is %s, in any case', (finishReason, status) => {
    const message = new AIMessage({ content: 'x', response_metadata: { finishReason } })
    expect(contextFromLangChain(message, { goal }).status).toBe(status)
  })

  test('without a reason a text is a success, unless it waits for a tool', () => {
    expect(contextFromLangChain(new AIMessage('done'), { goal }).status).toBe('success')
    const waiting = new AIMessage({ content: 'one moment', tool_calls: [{ id: 'a', name: 'weather', args: {} }] })
    expect(contextFromLangChain(waiting, { goal }).status).toBe('unknown')
    expect(contextFromLangChain(new AIMessage(''), { goal }).status).toBe('unknown')
  })

  test('a structured response, invalid calls, images, documents of the caller', () => {
    const invalid_tool_calls = [
      { id: 'a', name: 'weather', args: '{"city": "Ber', error: 'cut', type: 'invalid_tool_call' as const },
    ]
    const message = new AIMessage({ content: 'x', invalid_tool_calls })
    const documents = [{ pageContent: 'a text', metadata: { source: 'notes.md' } }]
    const context = contextFromLangChain(
      { messages: [message], structuredResponse: { degrees: 21 } },
      { goal, documents },
    )
    expect(context.agentOutput).toEqual({ type: 'structured', data: { degrees: 21 } })
    const facts = runFacts(context.metadata)
    expect(facts?.toolExecutions).toMatchObject([{ status: 'invalid', input: '{"city": "Ber' }])
    expect(facts?.sources).toMatchObject([{ id: 'notes.md', type: 'document', title: 'notes.md', text: 'a text' }])
    const picture = new AIMessage({
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    })
    expect(contextFromLangChain(picture, { goal }).agentOutput).toEqual({
      type: 'multimodal',
      parts: [
        { type: 'text', text: 'see' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ],
    })
  })
})

describe('langChainModel', () => {
  test('a runnable holds the answer to the schema', async () => {
    await using server = await scriptedServer(() => ({ text: '{"ok":true}' }))
    const model = langChainModel(chat(server.url), {
      structured: (schema) =>
        chat(server.url).withStructuredOutput(schema as never, { includeRaw: true, method: 'jsonSchema' }) as never,
    })
    const schema = { title: 'judgment', type: 'object', properties: { ok: { type: 'boolean' } } }
    const response = await model(userRequest('Is it?', { responseSchema: schema }))
    expect(response.data).toEqual({ ok: true })
    expect(response.usage?.outputTokens).toBeGreaterThan(0)
    expect(JSON.stringify(server.requests[0]?.body)).toContain('json_schema')
  })

  test('what LangChain fixed when the model was made is a warning', async () => {
    await using server = await scriptedServer(() => ({ text: 'yes' }))
    const response = await langChainModel(chat(server.url))(
      userRequest('Is it?', { temperature: 0, seed: 1, maxTokens: 5 }),
    )
    expect(response.metadata?.['langchain.warnings']).toEqual([
      'unsupported: temperature',
      'unsupported: maxTokens',
      'unsupported: seed',
    ])
  })

  test('log-probabilities, where the model was made to give them', async () => {
    await using server = await scriptedServer(() => ({
      text: '7',
      logprobs: [{ token: '7', logprob: -0.1, top: { '7': -0.1, '8': -2.4 } }],
    }))
    const model = langChainModel(chat(server.url, { logprobs: true, topLogprobs: 2 }))
    const response = await model(userRequest('Score it', { topLogprobs: 2 }))
    expect(response.logprobs).toMatchObject([{ token: '7', top: [{ token: '7' }, { token: '8' }] }])
  })
})

describe('langChainAgent and observe', () => {
  test('an agent answers, with its journal', async () => {
    const events: JournalEvent[] = []
    const agent = langChainAgent(({ signal }) => conversation([ask('Berlin'), { text: 'Sunny' }], signal))
    const invocation = await agent({
      prompt: goal,
      workspace: memoryWorkspace({}),
      signal: AbortSignal.timeout(20_000),
      record: (event) => void events.push(event),
    })
    expect([invocation.status, asText(invocation.output)]).toEqual(['completed', 'Sunny'])
    expect(events.map(({ type }) => type)).toEqual([
      'state',
      'prompt',
      'model-call',
      'tool-call',
      'tool-result',
      'model-call',
      'text',
      'state',
    ])
  })

  test('a server that refuses the key is an infrastructure failure', async () => {
    const { context } = await observeLangChain(
      () => conversation([{ status: 401, body: { error: { message: 'no' } } }]),
      {
        goal,
      },
    )
    expect([context.status, context.failure]).toEqual([
      'failed',
      expect.objectContaining({ code: 'http-401', infrastructure: true }),
    ])
  })
})
