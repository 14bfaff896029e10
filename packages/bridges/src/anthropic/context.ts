import type { JudgmentContext } from '@jurist/core'
import { type ContextExtras, checkExtras, contextRules, type FinishOptions, finishRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import { readAnthropic } from './reading.js'

/** An Anthropic message, as far as it is read; every field may be missing or malformed. */
export interface AnthropicMessage {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly stop_reason?: string | null | undefined
  readonly content?: readonly unknown[] | undefined
  readonly usage?: AnthropicUsage | undefined
}
/** Tokens of a message of Anthropic's API. */
export interface AnthropicUsage {
  readonly input_tokens?: number | null | undefined
  readonly output_tokens?: number | null | undefined
  readonly cache_read_input_tokens?: number | null | undefined
  readonly cache_creation_input_tokens?: number | null | undefined
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null | undefined } | null | undefined
}

const prefix = 'anthropic'

/**
 * A context of an Anthropic message that your own client received. The stop reasons `end_turn`, `stop_sequence` and
 * `tool_use` mean `success`, `max_tokens` and `model_context_window_exceeded` mean `success` with the fact `truncated`,
 * `refusal` means `refused`, all others `unknown`.
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
export function contextFromAnthropic(
  message: AnthropicMessage,
  extras: ContextExtras & FinishOptions,
): JudgmentContext {
  const checked = checkExtras('contextFromAnthropic', prefix, extras, { ...contextRules, ...finishRules })
  return contextOf(prefix, readAnthropic(message, checked).outcome, checked)
}

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
export const observeAnthropic: Observe<AnthropicMessage> = observeWith({
  name: 'observeAnthropic',
  prefix,
  contextFrom: contextFromAnthropic,
})

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
export const evaluateAnthropic: Evaluate<AnthropicMessage> = evaluateWith(observeAnthropic)
