import { type ContextExtras, type FinishOptions, finishRules } from '../context/extras.js'
import { anthropicReasons, finishOf, type RunOutcome, textOutcome } from '../context/outcome.js'
import { isObject, isReadableArray, propertyOf, readSafely, type SafeReader } from '../context/safe-reader.js'
import { type RetrievedSource, uniqueSources } from '../context/sources.js'
import { joinTools, type ToolCall, type ToolOutcome } from '../context/tool-execution.js'
import { anthropicUsage, reportedUsage } from '../context/usage.js'
import { bridgeOf, type ContextFrom, type Evaluate, type Observe } from '../run/bridge.js'

export interface AnthropicReading {
  readonly outcome: RunOutcome
  readonly text: string
  /** Whether the value is an error object instead of a message. */
  readonly reportsError: boolean
  readonly blocks: readonly SafeReader[]
  readonly isMessage: boolean
}

/** Malformed parts are left out and add warnings. */
export function readAnthropic(value: unknown, options: FinishOptions = {}): AnthropicReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const blocks = root.get('content').array()
  const reportsError = root.get('error').present
  const text = blocks.map((block) => (typeOf(block) === 'text' ? (block.get('text').string() ?? '') : '')).join('')
  const finishReason = root.get('stop_reason').string()
  const { status, truncated } = finishOf(finishReason, anthropicReasons, options)
  const usage = root.get('usage')
  const outcome: RunOutcome = {
    status: reportsError ? 'failed' : status,
    output: textOutcome(text),
    facts: {
      model: root.get('model').string(),
      responseId: root.get('id').string(),
      finishReason,
      truncated,
      usage: anthropicUsage(usage),
      usageReported: reportedUsage([usage]),
      toolExecutions: root.present ? joinTools(blocks.flatMap(toolCallIn), blocks.flatMap(toolResultIn)) : undefined,
      sources: uniqueSources(blocks.flatMap(pagesIn)),
      warnings,
    },
  }
  return { outcome, text, reportsError, blocks, isMessage: isReadableArray(root.get('content').value) }
}

function typeOf(block: SafeReader): string {
  return block.get('type').string() ?? ''
}

function toolCallIn(block: SafeReader): readonly ToolCall[] {
  const type = typeOf(block)
  if (!type.endsWith('tool_use')) return []
  const kind = type === 'tool_use' ? undefined : type
  return [{ id: block.get('id').string(), name: block.get('name').string(), kind, input: block.get('input').value }]
}

function toolResultIn(block: SafeReader): readonly ToolOutcome[] {
  if (!typeOf(block).endsWith('tool_result')) return []
  const output = block.get('content').value
  const failed = block.get('is_error').value === true || errorTypes.test(contentType(output))
  return [{ id: block.get('tool_use_id').string(), output, status: failed ? 'failed' : 'completed' }]
}

const errorTypes = /_error$/

function contentType(output: unknown): string {
  const type = isObject(output) ? propertyOf(output, 'type') : undefined
  return typeof type === 'string' ? type : ''
}

function pagesIn(block: SafeReader): readonly RetrievedSource[] {
  if (typeOf(block) !== 'web_search_tool_result' || !isReadableArray(block.get('content').value)) return []
  return block
    .get('content')
    .array()
    .flatMap((page): readonly RetrievedSource[] => {
      const url = page.get('url').string()
      const title = page.get('title').string()
      return url === undefined ? [] : [{ id: url, type: 'url', url, title }]
    })
}

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
