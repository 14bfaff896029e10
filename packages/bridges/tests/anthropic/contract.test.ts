import { anthropicModel, contextFromAnthropic, evaluateAnthropic } from '@jurist/bridges/anthropic'
import { describe, test } from 'vitest'
import type { AnthropicMessage } from '../../src/anthropic/context.js'
import { contextBridgeContract, modelBridgeContract } from '../../testing/index.js'

const message = (stop_reason: string | null, ...content: readonly object[]): AnthropicMessage => ({
  id: 'msg_1',
  model: 'claude-test',
  stop_reason,
  content,
  usage: { input_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: null, output_tokens: 4 },
})
const text = { type: 'text', text: 'Hello' }
const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } }
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 's',
  content: [{ type: 'web_search_result', url: 'https://example.org/', title: 'Example' }],
}

contextBridgeContract({ describe, test }, 'anthropic', {
  prefix: 'anthropic',
  contextFrom: contextFromAnthropic,
  evaluate: evaluateAnthropic,
  samples: {
    ok: message('end_turn', text),
    truncated: message('max_tokens', text),
    refused: message('refusal', text),
    failed: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as AnthropicMessage,
    unknown: message('brand_new', text),
    tools: message('end_turn', search, found, text),
    empty: message('end_turn'),
  },
})

const make = (structured: 'schema' | 'tool' | 'prompt') => (server: { readonly url: string }) =>
  anthropicModel({
    baseUrl: server.url,
    model: 'scripted',
    apiKey: 'sk-ant-contract',
    retries: { baseMs: 20 },
    structured,
  })
const can = { structured: true, logprobs: false, retries: true }
modelBridgeContract({ describe, test }, 'anthropic', make('schema'), can)
modelBridgeContract({ describe, test }, 'anthropic by a forced tool', make('tool'), can)
