import type { Json, JsonObject } from '@jurist/core'
import {
  argumentsText,
  piecesOf,
  type ScriptedAnswer,
  type ScriptedEvent,
  type ScriptedLogprob,
  type ScriptedRequest,
  type ScriptedTool,
  type ScriptedTurn,
  scriptedUsage,
} from './scripted-turn.js'

export function chatAnswer(request: ScriptedRequest, turn: ScriptedTurn): ScriptedAnswer {
  const { text, tools = [] } = turn
  const finish = turn.stop ?? (tools.length > 0 ? 'tool_calls' : 'stop')
  const logprobs = request.body['logprobs'] === true && turn.logprobs !== undefined ? logprobsOf(turn.logprobs) : null
  const calls = tools.map((tool, index) => callOf(tool, request.index, index))
  const message = { role: 'assistant', content: text ?? (calls.length > 0 ? null : ''), refusal: null }
  const envelope = envelopeOf(request)
  const whole = { ...message, ...(calls.length === 0 ? {} : { tool_calls: calls }) }
  const json: JsonObject = {
    ...envelope,
    object: 'chat.completion',
    choices: [{ index: 0, message: whole, finish_reason: finish, logprobs }],
    usage: chatUsage,
  }
  const chunk = (delta: Json, ending: string | null = null, tokens: Json = null): JsonObject => ({
    ...envelope,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: ending, logprobs: tokens }],
  })
  const chunks: readonly JsonObject[] = [
    chunk({ role: 'assistant', content: '' }),
    ...(text === undefined ? [] : piecesOf(text)).map((content, index) =>
      chunk({ content }, null, index === 0 ? logprobs : null),
    ),
    ...calls.flatMap((call, index) => callDeltas(call, index).map((delta) => chunk({ tool_calls: [delta] }))),
    chunk({}, finish),
    ...(asksForUsage(request) ? [{ ...envelope, object: 'chat.completion.chunk', choices: [], usage: chatUsage }] : []),
  ]
  return { json, events: [...chunks.map((data) => ({ data })), { data: '[DONE]' }] }
}

const chatUsage = {
  prompt_tokens: scriptedUsage.inputTokens,
  completion_tokens: scriptedUsage.outputTokens,
  total_tokens: scriptedUsage.totalTokens,
  prompt_tokens_details: {
    cached_tokens: scriptedUsage.cacheReadTokens,
    cache_write_tokens: scriptedUsage.cacheWriteTokens,
  },
  completion_tokens_details: { reasoning_tokens: scriptedUsage.reasoningTokens },
}

function envelopeOf({ index, body }: ScriptedRequest): JsonObject {
  return {
    id: `chatcmpl-scripted-${index}`,
    created: Math.floor(Date.now() / 1_000),
    model: body['model'] ?? 'scripted',
    system_fingerprint: 'fp_scripted',
  }
}

function asksForUsage({ body }: ScriptedRequest): boolean {
  return (body['stream_options'] as { readonly include_usage?: unknown } | undefined)?.include_usage === true
}

function logprobsOf(tokens: readonly ScriptedLogprob[]): JsonObject {
  const content = tokens.map(({ token, logprob, top = {} }) => ({
    token,
    logprob,
    bytes: [...new TextEncoder().encode(token)],
    top_logprobs: Object.entries(top).map(([other, value]) => ({ token: other, logprob: value, bytes: null })),
  }))
  return { content, refusal: null }
}

interface Call extends JsonObject {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

function callOf({ name, input }: ScriptedTool, request: number, index: number): Call {
  return { id: `call_${request}_${index}`, type: 'function', function: { name, arguments: argumentsText(input) } }
}

function callDeltas(call: Call, index: number): readonly JsonObject[] {
  const { name, arguments: text } = call.function
  const first = { index, id: call.id, type: call.type, function: { name, arguments: '' } }
  return [first, ...piecesOf(text).map((piece) => ({ index, function: { arguments: piece } }))]
}

export function messagesAnswer(request: ScriptedRequest, turn: ScriptedTurn): ScriptedAnswer {
  const { text, tools = [] } = turn
  const stop = turn.stop ?? (tools.length > 0 ? 'tool_use' : 'end_turn')
  const blocks: readonly Block[] = [
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...tools.map(
      ({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${request.index}_${index}`, name, input }) as const,
    ),
  ]
  const envelope = {
    id: `msg_scripted_${request.index}`,
    type: 'message',
    role: 'assistant',
    model: request.body['model'] ?? 'scripted',
  }
  const json = {
    ...envelope,
    content: blocks as readonly Json[],
    stop_reason: stop,
    stop_sequence: null,
    usage: messagesUsage,
  }
  return {
    json,
    events: [
      event('message_start', { message: { ...json, content: [], stop_reason: null, usage: startUsage } }),
      ...blocks.flatMap(blockEvents),
      event('message_delta', {
        delta: { stop_reason: stop, stop_sequence: null },
        usage: { output_tokens: scriptedUsage.outputTokens, output_tokens_details: thinking },
      }),
      event('message_stop', {}),
    ],
  }
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: Json }

const thinking = { thinking_tokens: scriptedUsage.reasoningTokens }
/** In this protocol `input_tokens` does not include cached tokens. */
const inputUsage = {
  input_tokens: scriptedUsage.inputTokens - scriptedUsage.cacheReadTokens - scriptedUsage.cacheWriteTokens,
  cache_read_input_tokens: scriptedUsage.cacheReadTokens,
  cache_creation_input_tokens: scriptedUsage.cacheWriteTokens,
}
const startUsage = { ...inputUsage, output_tokens: 1 }
const messagesUsage = {
  ...inputUsage,
  output_tokens: scriptedUsage.outputTokens,
  output_tokens_details: thinking,
}

function event(name: string, data: JsonObject): ScriptedEvent {
  return { name, data: { type: name, ...data } }
}

function blockEvents(block: Block, index: number): readonly ScriptedEvent[] {
  const empty = block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} }
  const deltas =
    block.type === 'text'
      ? piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))
      : piecesOf(argumentsText(block.input)).map((text) => ({ type: 'input_json_delta', partial_json: text }))
  return [
    event('content_block_start', { index, content_block: empty }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}
