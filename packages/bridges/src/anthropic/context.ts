import { type ContextExtras, type FinishOptions, finishRules } from '../context/extras.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { readAnthropic } from './reading.js'

/** An Anthropic message. Every field may be missing or malformed; other fields are not read. */
export interface AnthropicMessage {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly stop_reason?: string | null | undefined
  readonly content?: readonly unknown[] | undefined
  readonly usage?: AnthropicUsage | undefined
}
/** The tokens of an Anthropic message. */
export interface AnthropicUsage {
  readonly input_tokens?: number | null | undefined
  readonly output_tokens?: number | null | undefined
  readonly cache_read_input_tokens?: number | null | undefined
  readonly cache_creation_input_tokens?: number | null | undefined
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null | undefined } | null | undefined
}

const prefix = 'anthropic'

const bridge = bridgeOf<AnthropicMessage, ContextExtras & FinishOptions>({
  name: 'Anthropic',
  prefix,
  read: (message, extras) => readAnthropic(message, extras).outcome,
  rules: finishRules,
})

/**
 * Creates a context from an Anthropic message that your own client received. The stop reasons `end_turn`,
 * `stop_sequence` and `tool_use` mean `success`, `max_tokens` and `model_context_window_exceeded` mean `success` with
 * the fact `truncated`, `refusal` means `refused`, all others `unknown`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed message
 *
 * @example
 * import Anthropic from '@anthropic-ai/sdk'
 * import { contextFromAnthropic } from '@jurist/bridges/anthropic'
 *
 * const message = await new Anthropic().messages.create({
 *   model: 'claude-haiku-4-5',
 *   max_tokens: 1_024,
 *   messages: [{ role: 'user', content: 'Say hello' }],
 * })
 * const context = contextFromAnthropic(message, { goal: 'Say hello' })
 */
export const contextFromAnthropic: ContextFrom<AnthropicMessage, ContextExtras & FinishOptions> = bridge.contextFrom

/**
 * Sends a message once and returns a context, also when it fails.
 *
 * @example
 * import Anthropic from '@anthropic-ai/sdk'
 * import { observeAnthropic } from '@jurist/bridges/anthropic'
 *
 * const messages = [{ role: 'user' as const, content: 'Say hello' }]
 * const run = (signal: AbortSignal) =>
 *   new Anthropic().messages.create({ model: 'claude-haiku-4-5', max_tokens: 1_024, messages }, { signal })
 * const { context, result } = await observeAnthropic(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeAnthropic: Observe<AnthropicMessage> = bridge.observe

/**
 * Sends a message once and judges the response, also when it fails.
 *
 * @example
 * import Anthropic from '@anthropic-ai/sdk'
 * import { evaluateAnthropic } from '@jurist/bridges/anthropic'
 * import { outputText } from '@jurist/core'
 *
 * const messages = [{ role: 'user' as const, content: 'Say hello' }]
 * const run = (signal: AbortSignal) =>
 *   new Anthropic().messages.create({ model: 'claude-haiku-4-5', max_tokens: 1_024, messages }, { signal })
 * await evaluateAnthropic(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateAnthropic: Evaluate<AnthropicMessage> = bridge.evaluate
