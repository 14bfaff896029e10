import type { Json, JsonObject } from '@jurist/core'
import { type JudgeModelRequest, userRequest } from '@jurist/core/llm'
import type { TestHarness } from '@jurist/core/testing'
import { expectSame, expectThat } from './expect-that.js'
import { type ModelUnderTest, warningsOf } from './model-under-test.js'
import { scriptedServer } from './scripted-server.js'
import { type ScriptedRequest, type ScriptedTurn, scriptedUsage } from './scripted-turn.js'

const schema: JsonObject = {
  type: 'object',
  properties: { verdictOfTheTest: { type: 'boolean' } },
  required: ['verdictOfTheTest'],
  additionalProperties: false,
}
const asking = { responseSchema: schema }

/** The answer may or may not match the schema: through the tool that was forced, or else as text. */
function structuredTurn({ tools }: ScriptedRequest, text: string): ScriptedTurn {
  const [name] = tools
  return name === undefined ? { text } : { tools: [{ name, input: text }] }
}

/** M2 and M3: text, data, log-probabilities, usage. */
export function answerTests({ test }: TestHarness, { make, can }: ModelUnderTest): void {
  test('text, model and usage come back, and no cost without a table', async () => {
    await using server = await scriptedServer(() => ({ text: 'Because.\nAnswer: YES' }))
    const model = await make(server)
    const { text, usage = {}, costUsd } = await model(userRequest('Is it?'))
    expectSame(text, 'Because.\nAnswer: YES', 'text')
    for (const count of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const)
      expectSame(usage[count], scriptedUsage[count], count)
    for (const [count, value] of Object.entries(usage))
      expectSame(value, scriptedUsage[count as keyof typeof scriptedUsage], count)
    expectSame(costUsd, undefined, 'costUsd')
  })
  if (can.structured) structuredTests({ test }, { make })
  test(can.logprobs ? 'log-probabilities come back' : 'log-probabilities are a warning', async () => {
    const logprobs = [{ token: '7', logprob: -0.25, top: { '7': -0.25, '8': -1.5 } }]
    await using server = await scriptedServer(() => ({ text: '7', logprobs }))
    const model = await make(server)
    const response = await model(userRequest('How good?', { topLogprobs: 2 }))
    if (!can.logprobs) return expectThat(warningsOf(response).length > 0, 'no warning about log-probabilities')
    const top = [
      { token: '7', logprob: -0.25 },
      { token: '8', logprob: -1.5 },
    ]
    expectSame(response.logprobs, [{ token: '7', logprob: -0.25, top }], 'logprobs')
  })
}

function structuredTests({ test }: Pick<TestHarness, 'test'>, { make }: Pick<ModelUnderTest, 'make'>): void {
  test('a schema is asked for, and data comes back', async () => {
    const data: Json = { verdictOfTheTest: true }
    await using server = await scriptedServer((request) => structuredTurn(request, JSON.stringify(data)))
    const model = await make(server)
    expectSame((await model(userRequest('Is it?', asking))).data, data, 'data')
    const sent = JSON.stringify(server.requests[0]?.body)
    expectThat(sent.includes('verdictOfTheTest'), 'the schema did not reach the wire')
  })
  test('broken JSON is no data', async () => {
    const broken = '{"verdictOfTheTest":'
    await using server = await scriptedServer((request) => structuredTurn(request, broken))
    const model = await make(server)
    const response = await model(userRequest('Is it?', asking))
    expectThat(!('data' in response), 'broken JSON became data')
    if (server.requests[0]?.tools.length === 0) expectSame(response.text, broken, 'text')
  })
}

const conversation: JudgeModelRequest = {
  ...userRequest('', { temperature: 0.25, maxTokens: 321, seed: 77 }),
  messages: [
    { role: 'system', content: 'You are the system of the test.' },
    { role: 'user', content: 'First "question"?' },
    { role: 'assistant', content: 'First answer\nof two lines.' },
    { role: 'user', content: 'Second question 🙂?' },
  ],
}

/** The fields for each setting, in all protocols. */
const places: { readonly [setting: string]: readonly [value: number, ...names: string[]] } = {
  temperature: [0.25, 'temperature'],
  maxTokens: [321, 'max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  seed: [77, 'seed'],
}

/** M1: a setting is sent, or a warning is returned. */
export function wireTests({ test }: TestHarness, { make }: ModelUnderTest): void {
  test('all roles reach the wire, in order', async () => {
    await using server = await scriptedServer(() => ({ text: 'ok' }))
    const model = await make(server)
    await model(conversation)
    const sent = textsIn(server.requests[0]?.body ?? {})
    for (const { content } of conversation.messages)
      expectThat(
        sent.some((text) => text.includes(content)),
        `${JSON.stringify(content)} did not reach the wire`,
      )
    const [user, assistant, second] = conversation.messages
      .slice(1)
      .map(({ content }) => sent.findIndex((text) => text.includes(content)))
    expectThat(Number(user) < Number(assistant) && Number(assistant) < Number(second), 'the messages are out of order')
  })
  test('settings reach the wire, or a warning names them', async () => {
    await using server = await scriptedServer(() => ({ text: 'ok' }))
    const model = await make(server)
    const warnings = warningsOf(await model(conversation))
    const body = server.requests[0]?.body ?? {}
    for (const [setting, [value, ...names]] of Object.entries(places)) {
      const sent = names.some((name) => body[name] === value)
      const warned = warnings.some((warning) => [setting, ...names].some((name) => warning.includes(name)))
      expectThat(sent || warned, `${setting} is neither on the wire nor in a warning: ${JSON.stringify(warnings)}`)
      expectThat(!(sent && warned), `${setting} was sent, and a warning says that it was not`)
    }
  })
}

/** In order. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value as JsonObject).flatMap(textsIn)
}
