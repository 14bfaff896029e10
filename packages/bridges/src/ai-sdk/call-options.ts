import type { Json, JsonObject } from '@jurist/core'
import type { JudgeModelRequest, ModelMessage } from '@jurist/core/llm'
import { withSchema } from '../run/structured.js'

/** Options of providers, by the name of the provider. */
export type ProviderOptions = Record<string, Record<string, Json>>

/** What a model asks for in every call. */
export interface CallDefaults {
  /** The first part of the model's provider, such as `openai` of `openai.chat`. */
  readonly provider: string
  readonly structured: 'schema' | 'prompt'
  readonly logprobs: 'auto' | 'off' | ((count: number) => ProviderOptions)
  readonly providerOptions: ProviderOptions
}

/** The options of `doGenerate`, equal in specification `v3` and `v4`. */
export function callOptions(request: JudgeModelRequest, defaults: CallDefaults, abortSignal: AbortSignal): object {
  const { temperature, maxTokens, seed, topLogprobs, responseSchema } = request.options
  const inPrompt = responseSchema !== undefined && defaults.structured === 'prompt'
  const messages = inPrompt ? withSchema(request.messages, responseSchema) : request.messages
  const asked = topLogprobs === undefined ? {} : logprobOptions(topLogprobs, defaults)
  return {
    prompt: messages.map(wireMessage),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(responseSchema === undefined || inPrompt
      ? {}
      : { responseFormat: { type: 'json', schema: responseSchema, name: 'judgment' } }),
    providerOptions: merged(asked, defaults.providerOptions),
    abortSignal,
  }
}

function wireMessage({ role, content }: ModelMessage): JsonObject {
  return { role, content: role === 'system' ? content : [{ type: 'text', text: content }] }
}

function logprobOptions(count: number, { logprobs, provider }: CallDefaults): ProviderOptions {
  if (logprobs === 'off') return {}
  if (logprobs !== 'auto') return logprobs(count)
  if (provider.startsWith('openai')) return { openai: { logprobs: count } }
  return { [provider]: { logprobs: true, top_logprobs: count } }
}

/** Options of both, provider by provider; those of the caller win. */
function merged(first: ProviderOptions, second: ProviderOptions): ProviderOptions {
  const names = new Set([...Object.keys(first), ...Object.keys(second)])
  return Object.fromEntries([...names].map((name) => [name, { ...first[name], ...second[name] }]))
}
