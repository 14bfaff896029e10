import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras, FinishOptions } from '../context/extras.js'
import { checkExtras, contextRules, finishRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readAnthropic } from './reading.js'
import type { AnthropicMessage } from './shape.js'

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
