import { describe, expect, test } from 'vitest'
import { project } from '../../../jurist/tests/project.js'

const config = `juries:
  tools:
    type: tool-calls
    expected: [{ name: find_order, input: { id: 7 } }, { name: cancel }]
    order: in-order
  answer: { type: output-text, contains: cancelled }
`

type Attributes = { readonly [name: string]: string | number }
const value = (given: string | number) =>
  typeof given === 'number' ? { intValue: String(given) } : { stringValue: given }
let clock = 0
function span(spanId: string, parentSpanId: string, attributes: Attributes, more: object = {}) {
  clock += 1
  const at = 1_700_000_000 + clock
  return {
    ...{ traceId: 't1', spanId, parentSpanId, name: `span ${spanId}` },
    ...{ startTimeUnixNano: `${at}000000000`, endTimeUnixNano: `${at}500000000` },
    attributes: Object.entries(attributes).map(([key, given]) => ({ key, value: value(given) })),
    ...more,
  }
}
const exported = (...spans: readonly object[]) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
const json = JSON.stringify

const user = (content: string) => ({ role: 'user', parts: [{ type: 'text', content }] })
const calls = (id: string, name: string, given: object) => {
  return { role: 'assistant', parts: [{ type: 'tool_call', id, name, arguments: given }] }
}
const says = (content: string) => ({ role: 'assistant', parts: [{ type: 'text', content }] })
const response = (id: string, result: string) => ({
  role: 'tool',
  parts: [{ type: 'tool_call_response', id, response: result }],
})

const openTelemetry = () => {
  const asked = [user('Hello'), says('Hi'), user('Cancel order 7.')]
  const found = [...asked, calls('a', 'find_order', { id: 7 }), response('a', 'open')]
  return exported(
    span('r', '', {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': 'talk',
      'gen_ai.usage.input_tokens': 30,
    }),
    span('c1', 'r', {
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 10 },
      'gen_ai.input.messages': json(asked),
      'gen_ai.output.messages': json([calls('a', 'find_order', { id: 7 })]),
      'server.address': 'example.org',
    }),
    span('x1', 'r', {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'find_order',
      'gen_ai.tool.call.id': 'a',
      'gen_ai.tool.call.result': 'open',
    }),
    span('c2', 'r', {
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 20 },
      'gen_ai.input.messages': json(found),
      'gen_ai.output.messages': json([calls('b', 'cancel', { id: 7 })]),
    }),
    span(
      'x2',
      'r',
      { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'cancel' },
      { status: { code: 2, message: 'no' } },
    ),
    span('c3', 'r', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': json([...found, calls('b', 'cancel', { id: 7 }), response('b', 'no')]),
      'gen_ai.output.messages': json([says('It is cancelled.')]),
    }),
    span(
      'c4',
      '',
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.conversation.id': 'talk',
        'gen_ai.input.messages': json([user('Thanks')]),
        'gen_ai.output.messages': json([says('cancelled, bye')]),
      },
      { traceId: 't2' },
    ),
    span('h', 'r', { 'http.request.method': 'GET' }, { name: 'GET /orders' }),
  )
}

const openInference = () =>
  exported(
    span('r', '', {
      'openinference.span.kind': 'AGENT',
      'input.value': 'Cancel order 7.',
      'output.value': 'It is cancelled.',
    }),
    span('c1', 'r', {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'm',
      'llm.token_count.prompt': 30,
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Cancel order 7.',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'a',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'find_order',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"id":7}',
    }),
    span('x1', 'r', { 'openinference.span.kind': 'TOOL', 'tool.name': 'find_order', 'output.value': 'open' }),
    span('x2', 'r', {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'cancel',
      'input.value': '{"id":7}',
      'output.value': 'done',
    }),
    span('c2', 'r', { 'openinference.span.kind': 'LLM', 'output.value': 'It is cancelled.' }),
  )

const aiSdk = () =>
  exported(
    span('r', '', {
      'ai.operationId': 'ai.generateText',
      'ai.prompt': json({ prompt: 'Cancel order 7.' }),
      'ai.usage.inputTokens': 30,
    }),
    span('c1', 'r', {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': json([{ role: 'user', content: [{ type: 'text', text: 'Cancel order 7.' }] }]),
      'ai.response.toolCalls': json([
        { toolCallId: 'a', toolName: 'find_order', input: '{"id":7}' },
        { toolCallId: 'b', toolName: 'cancel', input: {} },
      ]),
      'ai.usage.inputTokens': 30,
    }),
    span('x1', 'r', {
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'find_order',
      'ai.toolCall.id': 'a',
      'ai.toolCall.result': '"open"',
    }),
    span('x2', 'r', {
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'cancel',
      'ai.toolCall.id': 'b',
      'ai.toolCall.result': '"done"',
    }),
    span('c2', 'r', { 'ai.operationId': 'ai.generateText.doGenerate', 'ai.response.text': 'It is cancelled.' }),
  )

interface Judged {
  readonly passed: boolean
  readonly task: string
  readonly usage: object
  readonly verdict: unknown
  readonly detail: {
    readonly invocation: { readonly turns?: readonly { role: string; text: string; isHistory?: true }[] }
  }
}
const judged = async (place: ReturnType<typeof project>, jury: string): Promise<readonly Judged[]> => {
  return JSON.parse((await place.jurist('rejudge', 'otlp', '--jury', jury, '--json')).stdout).result.items
}

describe('jurist import otlp', () => {
  test.each([
    ['OpenTelemetry GenAI', openTelemetry],
    ['OpenInference', openInference],
    ['the Vercel AI SDK', aiSdk],
  ])('reads spans of %s: task, tools, answer, tokens once', async (_, spans) => {
    using place = project({ 'jurist.config.yaml': config, 'traces.jsonl': `${spans()}\n` })
    await place.jurist('import', 'otlp', 'traces.jsonl')
    const [byTools] = await judged(place, 'tools')
    expect(byTools).toMatchObject({ passed: true, task: 'Cancel order 7.', usage: { inputTokens: 30 } })
    expect((await judged(place, 'answer'))[0]?.passed).toBe(true)
  })

  test('time between the traces of a conversation does not count, and spans without messages say what is missing', async () => {
    const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': 'talk', 'gen_ai.usage.input_tokens': 5 }
    const from = (trace: string, start: number, end: number) =>
      span(trace, '', chat, {
        traceId: trace,
        startTimeUnixNano: `${1_700_000_000 + start}000000000`,
        endTimeUnixNano: `${1_700_000_000 + end}000000000`,
      })
    using place = project({ 'a.json': exported(from('one', 0, 2), from('two', 36_000, 36_003)) })
    const { notes } = JSON.parse((await place.jurist('import', 'otlp', 'a.json', '--json')).stdout)
    expect(notes).toEqual(['no message of a user: let the exporter send the content of messages'])
    const [id = ''] = await place.results.runs('otlp')
    const [trial = '{}'] = await place.results.trials('otlp', id)
    expect(JSON.parse(trial)).toMatchObject({ agentMs: 5_000, usage: { inputTokens: 10 } })
  })

  test('makes one conversation of the traces of one, and names what it does not take over', async () => {
    using place = project({ 'jurist.config.yaml': config, 'a.json': openTelemetry() })
    const { notes, items } = JSON.parse((await place.jurist('import', 'otlp', 'a.json', '--json')).stdout)
    expect(items).toBe(1)
    expect(notes).toEqual([
      'attribute server.address: no counterpart, in the journal',
      'spans that are not of models, agents or tools: GET /orders',
    ])
    const [item] = await judged(place, 'tools')
    expect(
      item?.detail.invocation.turns?.map(
        ({ role, text, isHistory }) => `${isHistory ? 'earlier ' : ''}${role}: ${text}`,
      ),
    ).toEqual([
      'earlier user: Hello',
      'earlier agent: Hi',
      'user: Cancel order 7.',
      'agent: It is cancelled.',
      'user: Thanks',
      'agent: cancelled, bye',
    ])
    const shown = (await place.jurist('show', 'otlp', '--item', 'talk', '--journal')).stdout
    expect(shown).toContain('2 tool calls, 1 failed')
  })

  test('a sample is the same each time, and another seed is another import', async () => {
    const chat = (id: string) =>
      span(
        id,
        '',
        {
          'gen_ai.operation.name': 'chat',
          'gen_ai.input.messages': json([user(id)]),
          'gen_ai.output.messages': json([says('x')]),
        },
        { traceId: `trace-${id}` },
      )
    using place = project({ 'a.json': exported(...'abcdefghij'.split('').map(chat)) })
    const imported = async (...flags: readonly string[]) =>
      JSON.parse((await place.jurist('import', 'otlp', 'a.json', '--sample', '3', '--json', ...flags)).stdout)
    const first = await imported()
    expect(first).toMatchObject({ items: 3, isNew: true })
    expect(await imported()).toMatchObject({ isNew: false, runId: first.runId })
    expect(await imported('--seed', '2')).toMatchObject({ isNew: true })
  })

  const timed = (startTimeUnixNano: string, endTimeUnixNano: string) => {
    return { traceId: 'a', spanId: 'b', startTimeUnixNano, endTimeUnixNano }
  }
  test.each([
    ['another document', '{"spans":[]}', ['resourceSpans is missing']],
    [
      'no span of a model',
      exported(span('h', '', { 'http.method': 'GET' })),
      ['it has no span of a model, an agent or a tool'],
    ],
    [
      'wrong types',
      json({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: 7, attributes: {} }] }] }] }),
      [
        'resourceSpans[0].scopeSpans[0].spans[0].traceId must be a string',
        'resourceSpans[0].scopeSpans[0].spans[0].spanId is missing',
        'resourceSpans[0].scopeSpans[0].spans[0].attributes must be an array',
      ],
    ],
    [
      'times that no date has',
      json({ resourceSpans: [{ scopeSpans: [{ spans: [timed('9e30', '5'), timed('-1', 'x')] }] }] }),
      [
        'spans[0].startTimeUnixNano is too late for a date',
        'spans[1].startTimeUnixNano must be a number of nanoseconds',
        'spans[1].endTimeUnixNano must be a number of nanoseconds',
      ],
    ],
  ])('refuses %s', async (_, content, problems) => {
    using place = project({ 'a.json': content })
    const ran = await place.jurist('import', 'otlp', 'a.json')
    expect(ran.code).toBe(2)
    for (const problem of problems) expect(ran.stderr).toContain(problem)
  })

  test('spans that name each other as parents, and attributes that fight over a place, end', async () => {
    const spans = exported(
      span('a', 'b', { 'openinference.span.kind': 'AGENT' }),
      span('b', 'a', {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0': 'x',
        'llm.input_messages.0.message.__proto__.polluted': 'yes',
        'llm.output_messages.0.message.content': 'cancelled',
      }),
    )
    using place = project({ 'jurist.config.yaml': config, 'a.json': spans })
    expect((await place.jurist('import', 'otlp', 'a.json')).code).toBe(0)
    expect((await judged(place, 'answer'))[0]?.passed).toBe(true)
  })
})
