import type { JudgmentContext } from '@jurist/core'
import type { ContextExtras, FinishOptions } from '../context/extras.js'
import { checkExtras, contextRules, finishRules } from '../context/extras.js'
import type { BridgeKeys } from '../context/keys.js'
import { keysOf } from '../context/keys.js'
import { contextOf } from '../context/outcome.js'
import type { Evaluate, Observe } from '../run/observe.js'
import { evaluateWith, observeWith } from '../run/observe.js'
import { readChat } from './reading.js'
import type { ChatCompletion } from './shape.js'

const prefix = 'openai'

/** The metadata keys of contexts made of chat completions. */
export const openAiKeys: BridgeKeys<'openai', 'systemFingerprint'> = keysOf(prefix, 'systemFingerprint')

/**
 * A context of a chat completion, for people who call the protocol with a client of their own. `stop`, `tool_calls` and
 * `function_call` are a success, `length` is one with the fact `truncated`, `content_filter` and a refusal are
 * `refused`, `error` is failed, anything else unknown.
 *
 * @throws `option-invalid` or `metadata-reserved` for bad extras, never for a strange completion
 *
 * @example
 * const completion = await client.chat.completions.create({ model, messages })
 * const context = contextFromChatCompletion(completion, { goal: 'Say hello' })
 */
export function contextFromChatCompletion(
  completion: ChatCompletion,
  extras: ContextExtras & FinishOptions,
): JudgmentContext {
  const rules = { ...contextRules, ...finishRules }
  const checked = checkExtras('contextFromChatCompletion', prefix, extras, rules)
  return contextOf(prefix, readChat(completion, checked).outcome, checked)
}

/** Runs a chat completion once and makes a context of whatever happened. */
export const observeChatCompletion: Observe<ChatCompletion> = observeWith({
  name: 'observeChatCompletion',
  prefix,
  contextFrom: contextFromChatCompletion,
})

/** Runs a chat completion once and judges it, also when it failed. */
export const evaluateChatCompletion: Evaluate<ChatCompletion> = evaluateWith(observeChatCompletion)
