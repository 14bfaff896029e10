import type { OutputPart } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { isReadableArray, type SafeReader } from '../context/safe-reader.js'
import { metadataIn, type RetrievedSource } from '../context/sources.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'

/** A retrieved document. */
export interface LangChainDocument {
  readonly pageContent: string
  readonly id?: string | undefined
  readonly metadata?: { readonly [key: string]: unknown } | undefined
}

/** The result is one message, an array, or an agent's state with `messages`. */
export function messagesIn(root: SafeReader): readonly SafeReader[] {
  if (isReadableArray(root.value)) return root.array()
  const messages = root.get('messages')
  if (messages.present) return messages.array()
  return root.present ? [root] : []
}

/** Earlier runs end at the last human message. */
export function ownMessages(messages: readonly SafeReader[]): readonly SafeReader[] {
  return messages.slice(messages.findLastIndex((message) => message.get('type').value === 'human') + 1)
}

export function ofType(messages: readonly SafeReader[], type: 'ai' | 'tool'): readonly SafeReader[] {
  return messages.filter((message) => message.get('type').value === type)
}

/** Other blocks than text and images are left out. */
export function partsIn(message: SafeReader): readonly OutputPart[] {
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
export function toolsIn(messages: readonly SafeReader[]): readonly ToolExecution[] {
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
export function hasOpenCalls(executions: readonly ToolExecution[], lastStep: number): boolean {
  return executions.some(({ status, step }) => status === 'unfinished' && step === lastStep)
}

/** Tools return them as `artifact` or `artifact.documents`. */
export function documentsIn(messages: readonly SafeReader[]): readonly SafeReader[] {
  return ofType(messages, 'tool').flatMap((message) => {
    const artifact = message.get('artifact')
    if (isReadableArray(artifact.value)) return artifact.array()
    return typeof artifact.value === 'object' ? artifact.get('documents').array() : []
  })
}

/** Empty for a document without text. */
export function sourceIn(document: SafeReader, index: number): readonly RetrievedSource[] {
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
