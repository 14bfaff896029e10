import type { JudgmentContext } from '@jurist/core'
import { type ContextExtras, checkExtras, contextRules, type FinishOptions, finishRules } from '../context/extras.js'
import { contextOf } from '../context/outcome.js'
import { type BridgeKeys, keysOf } from '../context/run-facts.js'
import { type Evaluate, evaluateWith, type Observe, observeWith } from '../run/observe.js'
import { readAnthropic } from './reading.js'

/** What is read of an Anthropic message; every field may be missing or malformed. */
export interface AnthropicMessage {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly stop_reason?: string | null | undefined
  readonly content?: readonly unknown[] | undefined
  readonly usage?: AnthropicUsage | undefined
}
export interface AnthropicUsage {
  readonly input_tokens?: number | null | undefined
  readonly output_tokens?: number | null | undefined
  readonly cache_read_input_tokens?: number | null | undefined
  readonly cache_creation_input_tokens?: number | null | undefined
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null | undefined } | null | undefined
}

const prefix = 'anthropic'

/** The metadata keys of contexts made of Anthropic messages. */
export const anthropicKeys: BridgeKeys<'anthropic'> = keysOf(prefix)

/**
 * A context of an Anthropic message, for people who call the protocol with a client of their own. `end_turn`,
 * `stop_sequence` and `tool_use` are a success, `max_tokens` and `model_context_window_exceeded` are one with the fact
 * `truncated`, `refusal` is `refused`, anything else unknown.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange message
 *
 * @example
 * const message = await client.messages.create({ model, max_tokens: 1_024, messages })
 * const context = contextFromAnthropic(message, { goal: 'Say hello' })
 */
export function contextFromAnthropic(
  message: AnthropicMessage,
  extras: ContextExtras & FinishOptions,
): JudgmentContext {
  const checked = checkExtras('contextFromAnthropic', prefix, extras, { ...contextRules, ...finishRules })
  return contextOf(prefix, readAnthropic(message, checked).outcome, checked)
}

/** Asks once and makes a context of whatever happened. */
export const observeAnthropic: Observe<AnthropicMessage> = observeWith({
  name: 'observeAnthropic',
  prefix,
  contextFrom: contextFromAnthropic,
})

/** Asks once and judges the answer, also when there is none. */
export const evaluateAnthropic: Evaluate<AnthropicMessage> = evaluateWith(observeAnthropic)
