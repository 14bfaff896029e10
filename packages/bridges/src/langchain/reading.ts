import type { AgentOutput, ExecutionStatus, OutputPart, Usage } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { dataOutcome, type Finish, type FinishReasons, finishOf, partsOutcome } from '../context/outcome.js'
import { isReadableArray, readSafely, type SafeReader } from '../context/safe-reader.js'
import { distinctSources, metadataIn, type RetrievedSource } from '../context/sources.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'
import { reportedUsage, sumSteps, usageFrom } from '../context/usage.js'
import type { FrameworkReading } from '../run/framework-agent.js'

/** A retrieved document. */
export interface LangChainDocument {
  readonly pageContent: string
  readonly id?: string | undefined
  readonly metadata?: { readonly [key: string]: unknown } | undefined
}

/** The result is one message, an array, or an agent's state with `messages`. */
function messagesIn(root: SafeReader): readonly SafeReader[] {
  if (isReadableArray(root.value)) return root.array()
  const messages = root.get('messages')
  if (messages.present) return messages.array()
  return root.present ? [root] : []
}

/** Earlier runs end at the last human message. */
function ownMessages(messages: readonly SafeReader[]): readonly SafeReader[] {
  return messages.slice(messages.findLastIndex((message) => message.get('type').value === 'human') + 1)
}

function ofType(messages: readonly SafeReader[], type: 'ai' | 'tool'): readonly SafeReader[] {
  return messages.filter((message) => message.get('type').value === type)
}

/** Other blocks than text and images are left out. */
function partsIn(message: SafeReader): readonly OutputPart[] {
  const content = message.get('content')
  if (typeof content.value === 'string') return [{ type: 'text', text: content.value }]
  return content.array().flatMap(partIn)
}

export function textIn(message: SafeReader): string {
  return partsIn(message).reduce((text, part) => (part.type === 'text' ? text + part.text : text), '')
}

function partIn(block: SafeReader): readonly OutputPart[] {
  if (typeof block.value === 'string') return [{ type: 'text', text: block.value }]
  switch (block.get('type').value) {
    case 'text':
      return [{ type: 'text', text: block.get('text').string() ?? '' }]
    case 'image_url':
      return imageAt(block.get('image_url'))
    case 'image':
      return imageIn(block)
    default:
      return []
  }
}

/** In the format of chat completions: a URL, often with the data in it. */
function imageAt(place: SafeReader): readonly OutputPart[] {
  const url = typeof place.value === 'string' ? place.value : place.get('url').string()
  if (url === undefined) return []
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? []
  if (mediaType !== undefined && data !== undefined) return [{ type: 'image', mediaType, data }]
  return [{ type: 'image', mediaType: 'image/*', url }]
}

/** In LangChain's own format. */
function imageIn(block: SafeReader): readonly OutputPart[] {
  const mediaType = block.get('mimeType').string() ?? block.get('mime_type').string() ?? 'image/*'
  const data = block.get('data').string()
  const url = block.get('url').string()
  if (data !== undefined) return [{ type: 'image', mediaType, data }]
  return url === undefined ? [] : [{ type: 'image', mediaType, url }]
}

/** `step` is the index of the model's answer that made the call. */
function toolsIn(messages: readonly SafeReader[]): readonly ToolExecution[] {
  const calls = ofType(messages, 'ai').flatMap((message, step) => [
    ...message
      .get('tool_calls')
      .array()
      .map((call): ToolCall => ({ ...nameOf(call), step, input: call.get('args').value })),
    ...message
      .get('invalid_tool_calls')
      .array()
      .map(
        (call): ToolCall => ({ ...nameOf(call), step, input: call.get('args').value, invalid: true, ...errorIn(call) }),
      ),
  ])
  return joinTools(calls, ofType(messages, 'tool').map(outcomeIn))
}

function nameOf(call: SafeReader): Pick<ToolCall, 'id' | 'name'> {
  return { id: call.get('id').string(), name: call.get('name').string() }
}

function errorIn(call: SafeReader): Pick<ToolCall, 'failure'> {
  const error = call.get('error').string()
  return error === undefined ? {} : { failure: failureOf(new Error(error)) }
}

function outcomeIn(message: SafeReader): ToolOutcome {
  const output = textIn(message)
  const same = { id: message.get('tool_call_id').string(), name: message.get('name').string(), output }
  if (message.get('status').value !== 'error') return same
  return { ...same, status: 'failed', failure: failureOf(new Error(output)) }
}

/** Whether the model's last answer calls a tool that has no result. */
function hasOpenCalls(executions: readonly ToolExecution[], lastStep: number): boolean {
  return executions.some(({ status, step }) => status === 'unfinished' && step === lastStep)
}

/** Tools return them as `artifact` or `artifact.documents`. */
function documentsIn(messages: readonly SafeReader[]): readonly SafeReader[] {
  return ofType(messages, 'tool').flatMap((message) => {
    const artifact = message.get('artifact')
    if (isReadableArray(artifact.value)) return artifact.array()
    return typeof artifact.value === 'object' ? artifact.get('documents').array() : []
  })
}

/** Empty for a document without text. */
function sourceIn(document: SafeReader, index: number): readonly RetrievedSource[] {
  const pageContent = typeof document.value === 'object' ? document.get('pageContent') : undefined
  const text = pageContent?.string()
  if (text === undefined) return []
  const metadata = document.get('metadata')
  const source = metadata.get('source').string()
  const score = metadata.get('score').number()
  const isUrl = source !== undefined && /^https?:/i.test(source) && URL.canParse(source)
  const kept = metadataIn(metadata)
  return [
    {
      id: document.get('id').string() ?? source ?? `document-${index + 1}`,
      type: isUrl ? 'url' : 'document',
      ...(source === undefined ? {} : isUrl ? { url: source } : { title: source }),
      text,
      ...(score === undefined ? {} : { score }),
      ...(kept === undefined ? {} : { metadata: kept }),
    },
  ]
}

/** In lower case, of all providers. */
const finishReasons: FinishReasons = {
  success: ['stop', 'end_turn', 'stop_sequence', 'tool_calls', 'tool_use', 'function_call'],
  truncated: ['length', 'max_tokens'],
  refused: ['content_filter', 'refusal', 'safety'],
  failed: [],
}

/**
 * Malformed parts are left out and add warnings.
 *
 * @param documents the retrieved documents. Default: those that tools returned
 */
export function readLangChain(value: unknown, documents?: readonly LangChainDocument[]): FrameworkReading {
  const warnings: string[] = []
  const root = readSafely(value, warnings)
  const messages = ownMessages(messagesIn(root))
  const answers = ofType(messages, 'ai')
  const counted = uniqueById(answers)
  const last = answers.at(-1) ?? readSafely(undefined, warnings)
  const usages = counted.map((answer) => usageOf(answer.get('usage_metadata')))
  const toolExecutions = root.present ? toolsIn(messages) : undefined
  const finishReason = finishReasonOf(last)
  const isOpen = hasOpenCalls(toolExecutions ?? [], answers.length - 1)
  const { status, truncated } = endOf(finishReason, last, isOpen)
  const retrieved =
    documents === undefined ? documentsIn(messages) : readSafely(documents, warnings, 'documents').array()
  return {
    outcome: {
      status,
      output: outputOf(root, last),
      facts: {
        model: modelOf(last),
        provider: last.get('response_metadata').get('model_provider').string(),
        responseId: last.get('id').string(),
        finishReason,
        truncated,
        turns: answers.length > 0 ? answers.length : undefined,
        usage: sumSteps(usages, warnings),
        usageReported: reportedUsage(counted.map((answer) => answer.get('usage_metadata'))),
        toolExecutions,
        sources: distinctSources(retrieved.flatMap(sourceIn)),
        warnings,
      },
    },
    steps: answers.map((answer) => ({
      model: modelOf(answer),
      usage: usageOf(answer.get('usage_metadata')),
      finishReason: finishReasonOf(answer),
      text: textIn(answer),
    })),
  }
}

/** A stream may repeat a message. */
function uniqueById(answers: readonly SafeReader[]): readonly SafeReader[] {
  const seen = new Set<string>()
  return answers.filter((answer) => {
    const id = answer.get('id').string()
    if (id === undefined) return true
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
}

export function usageOf(usage: SafeReader): Usage | undefined {
  return usageFrom(usage, {
    inputTokens: 'input_tokens',
    cacheReadTokens: 'input_token_details.cache_read',
    cacheWriteTokens: 'input_token_details.cache_creation',
    outputTokens: 'output_tokens',
    reasoningTokens: 'output_token_details.reasoning',
    totalTokens: 'total_tokens',
  })
}

/** Each provider uses another place. */
export function finishReasonOf(answer: SafeReader): string | undefined {
  const metadata = answer.get('response_metadata')
  return (
    metadata.get('finish_reason').string() ??
    metadata.get('stop_reason').string() ??
    metadata.get('finishReason').string()
  )
}

export function modelOf(answer: SafeReader): string | undefined {
  const metadata = answer.get('response_metadata')
  return metadata.get('model_name').string() ?? metadata.get('model').string()
}

/** Without a finish reason, a last text without an open tool call is a success. */
function endOf(reason: string | undefined, last: SafeReader, isOpen: boolean): Finish {
  if (reason !== undefined) return finishOf(reason.toLowerCase(), finishReasons, {})
  const status: ExecutionStatus = textIn(last) !== '' && !isOpen ? 'success' : 'unknown'
  return { status }
}

export function finishOfAnswer(answer: SafeReader): Finish {
  return finishOf(finishReasonOf(answer)?.toLowerCase(), finishReasons, {})
}

function outputOf(root: SafeReader, last: SafeReader): AgentOutput | undefined {
  const structured = isReadableArray(root.value) || !root.present ? undefined : root.get('structuredResponse')
  return structured?.present ? dataOutcome(structured.value) : partsOutcome(partsIn(last))
}
