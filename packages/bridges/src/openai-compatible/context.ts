import type { Usage } from '@jurist/core'
import { type ContextExtras, type FinishOptions, finishRules } from '../context/extras.js'
import { type FinishReasons, finishOf, type RunOutcome, textOutcome } from '../context/outcome.js'
import { isReadableArray, readSafely, type SafeReader } from '../context/safe-reader.js'
import { type RetrievedSource, uniqueSources } from '../context/sources.js'
import { joinTools, readArguments, type ToolCall } from '../context/tool-execution.js'
import { reportedUsage, usageFrom } from '../context/usage.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'

export interface ChatReading {
  readonly outcome: RunOutcome
  readonly text: string
  /** Why the model refused to answer. */
  readonly refusal?: string | undefined
  /** Whether the value is an error object instead of a completion. */
  readonly reportsError: boolean
  readonly choice: SafeReader
}

const finishReasons: FinishReasons = {
  success: ['stop', 'tool_calls', 'function_call'],
  truncated: ['length'],
  refused: ['content_filter'],
  failed: ['error'],
}

/** Malformed parts are left out and add warnings. */
export function readChat(value: unknown, options: FinishOptions = {}): ChatReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const choice = readSafely(root.get('choices').array()[0]?.value, warnings, 'choices[0]')
  const message = choice.get('message')
  const text = contentText(message.get('content'))
  const refusal = message.get('refusal').string()
  const finishReason = choice.get('finish_reason').string()
  const { status, truncated } = finishOf(finishReason, finishReasons, options)
  const cost = root.get('usage').get('cost').amount()
  const outcome: RunOutcome = {
    status: root.get('error').present ? 'failed' : refusal === undefined || refusal === '' ? status : 'refused',
    output: textOutcome(text),
    facts: {
      model: root.get('model').string(),
      provider: root.get('provider').string(),
      responseId: root.get('id').string(),
      finishReason,
      truncated,
      usage: chatUsage(root.get('usage')),
      usageReported: reportedUsage([root.get('usage')]),
      ...(cost === undefined ? {} : { costUsd: cost, costBasis: 'reported' as const }),
      toolExecutions: root.present ? joinTools(message.get('tool_calls').array().map(toolCallOf), []) : undefined,
      sources: uniqueSources(message.get('annotations').array().flatMap(citationOf)),
      warnings,
    },
    own: { systemFingerprint: root.get('system_fingerprint').string() },
  }
  return {
    outcome,
    text,
    refusal: refusal === '' ? undefined : refusal,
    reportsError: root.get('error').present,
    choice,
  }
}

function contentText(content: SafeReader): string {
  if (!isReadableArray(content.value)) return content.string() ?? ''
  const texts = content
    .array()
    .map((part) => (part.get('type').value === 'text' ? part.get('text').string() : undefined))
  return texts.filter((text) => text !== undefined).join('')
}

function chatUsage(usage: SafeReader): Usage | undefined {
  return usageFrom(usage, {
    inputTokens: 'prompt_tokens',
    cacheReadTokens: 'prompt_tokens_details.cached_tokens',
    cacheWriteTokens: 'prompt_tokens_details.cache_write_tokens',
    outputTokens: 'completion_tokens',
    reasoningTokens: 'completion_tokens_details.reasoning_tokens',
    totalTokens: 'total_tokens',
  })
}

function toolCallOf(call: SafeReader): ToolCall {
  const inner = call.get('function').present ? call.get('function') : call.get('custom')
  const given = call.get('custom').present
    ? { input: inner.get('input').value, invalid: false }
    : readArguments(inner.get('arguments').value)
  return { id: call.get('id').string(), name: inner.get('name').string(), ...given }
}

function citationOf(annotation: SafeReader): readonly RetrievedSource[] {
  const citation = annotation.get('url_citation')
  const url = citation.present ? citation.get('url').string() : undefined
  if (url === undefined) return []
  const title = citation.get('title').string()
  return [{ id: url, type: 'url', url, title }]
}

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
