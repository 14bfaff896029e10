import type { Json, JsonObject } from '@jurist/core'
import type {
  ScriptedAnswer,
  ScriptedEvent,
  ScriptedLogprob,
  ScriptedRequest,
  ScriptedTool,
  ScriptedTurn,
} from './scripted-turn.js'
import { argumentsText, piecesOf, scriptedUsage } from './scripted-turn.js'

export function responsesAnswer(request: ScriptedRequest, turn: ScriptedTurn): ScriptedAnswer {
  const { text, tools = [], stop } = turn
  const items: readonly Item[] = [
    ...(text === undefined ? [] : [messageItem(text, request, turn)]),
    ...tools.map((tool, index) => toolItem(tool, request.index, index)),
  ]
  const begun = responseOf(request)
  const ending = stop === undefined ? 'completed' : 'incomplete'
  const json: JsonObject = {
    ...begun,
    status: ending,
    incomplete_details: stop === undefined ? null : { reason: stop },
    output: items.map(({ whole }) => whole),
    usage: responsesUsage,
  }
  const untold: readonly JsonObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) => itemEvents(item, index)),
    { type: `response.${ending}`, response: json },
  ]
  const events: readonly ScriptedEvent[] = untold.map((data, index) => ({
    name: String(data['type']),
    data: { ...data, sequence_number: index },
  }))
  return { json, events }
}

/** An output item, and the events of a stream between its beginning and its end. */
interface Item {
  readonly begun: JsonObject
  readonly whole: JsonObject
  readonly between: readonly JsonObject[]
}

const responsesUsage = {
  input_tokens: scriptedUsage.inputTokens,
  input_tokens_details: {
    cached_tokens: scriptedUsage.cacheReadTokens,
    cache_write_tokens: scriptedUsage.cacheWriteTokens,
  },
  output_tokens: scriptedUsage.outputTokens,
  output_tokens_details: { reasoning_tokens: scriptedUsage.reasoningTokens },
  total_tokens: scriptedUsage.totalTokens,
}

function responseOf({ index, body }: ScriptedRequest): JsonObject {
  return {
    id: `resp_scripted_${index}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: body['model'] ?? 'scripted',
    output: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: null,
  }
}

function messageItem(text: string, request: ScriptedRequest, { logprobs = [] }: ScriptedTurn): Item {
  const id = `msg_scripted_${request.index}`
  const base = { id, type: 'message', role: 'assistant' }
  const tokens = asksForLogprobs(request) ? logprobs.map(tokenOf) : []
  const part = { type: 'output_text', text, annotations: [], logprobs: tokens }
  const at = { item_id: id, content_index: 0 }
  return {
    begun: { ...base, status: 'in_progress', content: [] },
    whole: { ...base, status: 'completed', content: [part] },
    between: [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '', logprobs: [] } },
      ...piecesOf(text).map((delta, index) => ({
        type: 'response.output_text.delta',
        ...at,
        delta,
        logprobs: index === 0 ? tokens : [],
      })),
      { type: 'response.output_text.done', ...at, text, logprobs: tokens },
      { type: 'response.content_part.done', ...at, part },
    ],
  }
}

function asksForLogprobs({ body }: ScriptedRequest): boolean {
  const { include } = body
  return Array.isArray(include) && include.includes('message.output_text.logprobs')
}

function tokenOf({ token, logprob, top = {} }: ScriptedLogprob): JsonObject {
  const others = Object.entries(top).map(([other, value]) => ({ token: other, logprob: value, bytes: [] }))
  return { token, logprob, bytes: [], top_logprobs: others }
}

function toolItem({ name, input, custom = false, namespace }: ScriptedTool, request: number, index: number): Item {
  const id = `${custom ? 'ctc' : 'fc'}_scripted_${request}_${index}`
  const type = custom ? 'custom_tool_call' : 'function_call'
  const base = {
    id,
    call_id: `call_${request}_${index}`,
    name,
    type,
    ...(namespace === undefined ? {} : { namespace }),
  }
  const [field, event] = custom
    ? (['input', 'custom_tool_call_input'] as const)
    : (['arguments', 'function_call_arguments'] as const)
  const text = argumentsText(input)
  return {
    begun: { ...base, status: 'in_progress', [field]: '' },
    whole: { ...base, status: 'completed', [field]: text },
    between: [
      ...piecesOf(text).map((delta) => ({ type: `response.${event}.delta`, item_id: id, delta })),
      { type: `response.${event}.done`, item_id: id, name, [field]: text },
    ],
  }
}

function itemEvents({ begun, whole, between }: Item, index: number): readonly JsonObject[] {
  const at = (type: string, item: Json): JsonObject => ({ type, output_index: index, item })
  return [
    at('response.output_item.added', begun),
    ...between.map((event) => ({ ...event, output_index: index })),
    at('response.output_item.done', whole),
  ]
}
