import type { Usage } from '@jurist/core'
import type { FinishOptions } from '../context/extras.js'
import type { FinishReasons, RunOutcome } from '../context/outcome.js'
import { finishOf, textOutcome } from '../context/outcome.js'
import type { SafeReader } from '../context/safe-reader.js'
import { isReadableArray, readSafely } from '../context/safe-reader.js'
import type { RetrievedSource } from '../context/sources.js'
import { uniqueSources } from '../context/sources.js'
import type { ToolCall } from '../context/tool-execution.js'
import { joinTools, readArguments } from '../context/tool-execution.js'
import { reportedUsage, usageFrom } from '../context/usage.js'

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
