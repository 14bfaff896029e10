import type { Json, JsonObject } from '@jurist/core'
import type { ScriptedAnswer, ScriptedEvent, ScriptedRequest, ScriptedTurn } from './scripted-turn.js'
import { argumentsText, piecesOf, scriptedUsage } from './scripted-turn.js'

/** An answer of Anthropic messages. */
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
/** In this protocol the cached parts stand beside `input_tokens`, not within. */
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
