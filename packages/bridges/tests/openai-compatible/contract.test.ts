import {
  contextFromChatCompletion,
  evaluateChatCompletion,
  openAiCompatibleModel,
} from '@jurist/bridges/openai-compatible'
import { describe, test } from 'vitest'
import type { ChatCompletion } from '../../src/openai-compatible/context.js'
import { contextBridgeContract, modelBridgeContract } from '../../testing/index.js'

const completion = (message: object, finish_reason: string | null = 'stop'): ChatCompletion => ({
  id: 'chatcmpl-1',
  model: 'gpt-test',
  choices: [{ finish_reason, message }],
  usage: {
    prompt_tokens: 10,
    completion_tokens: 4,
    total_tokens: 14,
    prompt_tokens_details: { cached_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 1 },
  },
})
const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }

contextBridgeContract({ describe, test }, 'openai-compatible', {
  prefix: 'openai',
  contextFrom: contextFromChatCompletion,
  evaluate: evaluateChatCompletion,
  samples: {
    ok: completion({ content: 'Hello' }),
    truncated: completion({ content: 'Hel' }, 'length'),
    refused: completion({ content: null, refusal: 'No.' }),
    failed: completion({ content: 'Hel' }, 'error'),
    unknown: completion({ content: 'Hello', tool_calls: [call], annotations: [] }, 'brand-new'),
    // A completion has calls of tools and never their results.
    tools: null,
    empty: completion({ content: '' }),
  },
})

modelBridgeContract(
  { describe, test },
  'openai-compatible',
  ({ url }) =>
    openAiCompatibleModel({
      baseUrl: `${url}/v1`,
      model: 'scripted',
      apiKey: 'sk-contract-of-openai',
      retries: { baseMs: 20 },
    }),
  { structured: true, logprobs: true, retries: true },
)
modelBridgeContract(
  { describe, test },
  'openai-compatible by a forced tool',
  ({ url }) =>
    openAiCompatibleModel({
      baseUrl: `${url}/v1`,
      model: 'm',
      apiKey: 'sk-contract-of-openai',
      retries: { baseMs: 20 },
      structured: 'tool',
    }),
  { structured: true, logprobs: true, retries: true },
)
