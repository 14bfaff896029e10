import { type ContextExtras, type FinishOptions, finishRules } from '../context/extras.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'
import { readChat } from './reading.js'

/** A chat completion. Every field may be missing or malformed; other fields are not read. */
export interface ChatCompletion {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly system_fingerprint?: string | null | undefined
  readonly choices?: readonly ChatChoice[] | undefined
  readonly usage?: ChatUsage | null | undefined
}
/** One of the answers of a chat completion. */
export interface ChatChoice {
  readonly finish_reason?: string | null | undefined
  readonly message?:
    | {
        readonly content?: string | readonly unknown[] | null | undefined
        readonly refusal?: string | null | undefined
        readonly tool_calls?: readonly unknown[] | null | undefined
        readonly annotations?: readonly unknown[] | null | undefined
      }
    | undefined
  readonly logprobs?: { readonly content?: readonly unknown[] | null | undefined } | null | undefined
}
/** Tokens of a chat completion. */
export interface ChatUsage {
  readonly prompt_tokens?: number | undefined
  readonly completion_tokens?: number | undefined
  readonly total_tokens?: number | undefined
  readonly prompt_tokens_details?:
    | { readonly cached_tokens?: number | null | undefined; readonly cache_write_tokens?: number | null | undefined }
    | null
    | undefined
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null | undefined } | null | undefined
}

const prefix = 'openai'

const bridge = bridgeOf<ChatCompletion, ContextExtras & FinishOptions>({
  name: 'ChatCompletion',
  prefix,
  read: (completion, extras) => readChat(completion, extras).outcome,
  rules: finishRules,
})

/**
 * Creates a context from a chat completion that your own client received. The finish reasons `stop`, `tool_calls` and
 * `function_call` mean `success`, `length` means `success` with the fact `truncated`, `content_filter` and a refusal
 * mean `refused`, `error` means `failed`, all others `unknown`.
 *
 * @throws `option-invalid` or `metadata-reserved` for invalid extras, never for a malformed completion
 *
 * @example
 * import { contextFromChatCompletion } from '@jurist/bridges/openai-compatible'
 * import OpenAI from 'openai'
 *
 * const completion = await new OpenAI().chat.completions.create({
 *   model: 'gpt-5-mini',
 *   messages: [{ role: 'user', content: 'Say hello' }],
 * })
 * const context = contextFromChatCompletion(completion, { goal: 'Say hello' })
 */
export const contextFromChatCompletion: ContextFrom<ChatCompletion, ContextExtras & FinishOptions> = bridge.contextFrom

/**
 * Runs a chat completion once and returns a context, also when it fails.
 *
 * @example
 * import { observeChatCompletion } from '@jurist/bridges/openai-compatible'
 * import OpenAI from 'openai'
 *
 * const messages = [{ role: 'user' as const, content: 'Say hello' }]
 * const run = (signal: AbortSignal) =>
 *   new OpenAI().chat.completions.create({ model: 'gpt-5-mini', messages }, { signal })
 * const { context, result } = await observeChatCompletion(run, { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const observeChatCompletion: Observe<ChatCompletion> = bridge.observe

/**
 * Runs a chat completion once and judges it, also when it fails.
 *
 * @example
 * import { evaluateChatCompletion } from '@jurist/bridges/openai-compatible'
 * import { outputText } from '@jurist/core'
 * import OpenAI from 'openai'
 *
 * const messages = [{ role: 'user' as const, content: 'Say hello' }]
 * const run = (signal: AbortSignal) =>
 *   new OpenAI().chat.completions.create({ model: 'gpt-5-mini', messages }, { signal })
 * await evaluateChatCompletion(run, outputText({ contains: 'hello' }), { goal: 'Say hello', timeoutMs: 60_000 })
 */
export const evaluateChatCompletion: Evaluate<ChatCompletion> = bridge.evaluate
