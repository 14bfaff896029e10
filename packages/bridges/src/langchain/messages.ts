import type { OutputPart } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { isList, type Look } from '../context/safe-reader.js'
import { metadataIn, type RetrievedSource } from '../context/sources.js'
import { joinTools, type ToolCall, type ToolExecution, type ToolOutcome } from '../context/tool-execution.js'

/** A document that was retrieved. */
export interface LangChainDocument {
  readonly pageContent: string
  readonly id?: string | undefined
  readonly metadata?: { readonly [key: string]: unknown } | undefined
}

/** The messages of a result: one message, a list, or `messages` of an agent's state. */
export function messagesIn(root: Look): readonly Look[] {
  if (isList(root.value)) return root.list()
  const messages = root.get('messages')
  if (messages.present) return messages.list()
  return root.present ? [root] : []
}

/** The messages of this run: those after the last one of a human. */
export function ownMessages(messages: readonly Look[]): readonly Look[] {
  return messages.slice(messages.findLastIndex((message) => message.get('type').value === 'human') + 1)
}

/** The messages of one type. */
export function ofType(messages: readonly Look[], type: 'ai' | 'tool'): readonly Look[] {
  return messages.filter((message) => message.get('type').value === type)
}

/** The content of a message: a text, or blocks of text, images and whatever else, which is left out. */
export function partsIn(message: Look): readonly OutputPart[] {
  const content = message.get('content')
  if (typeof content.value === 'string') return [{ type: 'text', text: content.value }]
  return content.list().flatMap(partIn)
}

/** The text of a message. */
export function textIn(message: Look): string {
  return partsIn(message).reduce((text, part) => (part.type === 'text' ? text + part.text : text), '')
}

function partIn(block: Look): readonly OutputPart[] {
  if (typeof block.value === 'string') return [{ type: 'text', text: block.value }]
  switch (block.get('type').value) {
    case 'text':
      return [{ type: 'text', text: block.get('text').text() ?? '' }]
    case 'image_url':
      return imageAt(block.get('image_url'))
    case 'image':
      return imageIn(block)
    default:
      return []
  }
}

/** The block of chat completions: an address, often one that holds the data. */
function imageAt(place: Look): readonly OutputPart[] {
  const url = typeof place.value === 'string' ? place.value : place.get('url').text()
  if (url === undefined) return []
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(url) ?? []
  if (mediaType !== undefined && data !== undefined) return [{ type: 'image', mediaType, data }]
  return [{ type: 'image', mediaType: 'image/*', url }]
}

/** The block of LangChain's own. */
function imageIn(block: Look): readonly OutputPart[] {
  const mediaType = block.get('mimeType').text() ?? block.get('mime_type').text() ?? 'image/*'
  const data = block.get('data').text()
  const url = block.get('url').text()
  if (data !== undefined) return [{ type: 'image', mediaType, data }]
  return url === undefined ? [] : [{ type: 'image', mediaType, url }]
}

/** The tools of a run, joined: `step` is the place of the model's answer that called. */
export function toolsIn(messages: readonly Look[]): readonly ToolExecution[] {
  const calls = ofType(messages, 'ai').flatMap((message, step) => [
    ...message
      .get('tool_calls')
      .list()
      .map((call): ToolCall => ({ ...nameOf(call), step, input: call.get('args').value })),
    ...message
      .get('invalid_tool_calls')
      .list()
      .map(
        (call): ToolCall => ({ ...nameOf(call), step, input: call.get('args').value, invalid: true, ...errorIn(call) }),
      ),
  ])
  return joinTools(calls, ofType(messages, 'tool').map(outcomeIn))
}

function nameOf(call: Look): Pick<ToolCall, 'id' | 'name'> {
  return { id: call.get('id').text(), name: call.get('name').text() }
}

function errorIn(call: Look): Pick<ToolCall, 'failure'> {
  const error = call.get('error').text()
  return error === undefined ? {} : { failure: failureOf(new Error(error)) }
}

function outcomeIn(message: Look): ToolOutcome {
  const output = textIn(message)
  const same = { id: message.get('tool_call_id').text(), name: message.get('name').text(), output }
  if (message.get('status').value !== 'error') return same
  return { ...same, status: 'failed', failure: failureOf(new Error(output)) }
}

/** Whether the last answer of the model waits for a tool. */
export function hasOpenCalls(executions: readonly ToolExecution[], lastStep: number): boolean {
  return executions.some(({ status, step }) => status === 'unfinished' && step === lastStep)
}

/** The documents that tools gave back beside their text: `artifact`, or `artifact.documents`. */
export function documentsIn(messages: readonly Look[]): readonly Look[] {
  return ofType(messages, 'tool').flatMap((message) => {
    const artifact = message.get('artifact')
    if (isList(artifact.value)) return artifact.list()
    return typeof artifact.value === 'object' ? artifact.get('documents').list() : []
  })
}

/** A document as a source; what has no text is none. */
export function sourceIn(document: Look, index: number): readonly RetrievedSource[] {
  const pageContent = typeof document.value === 'object' ? document.get('pageContent') : undefined
  const text = pageContent?.text()
  if (text === undefined) return []
  const metadata = document.get('metadata')
  const source = metadata.get('source').text()
  const score = metadata.get('score').number()
  const isUrl = source !== undefined && /^https?:/i.test(source) && URL.canParse(source)
  const kept = metadataIn(metadata)
  return [
    {
      id: document.get('id').text() ?? source ?? `document-${index + 1}`,
      type: isUrl ? 'url' : 'document',
      ...(source === undefined ? {} : isUrl ? { url: source } : { title: source }),
      text,
      ...(score === undefined ? {} : { score }),
      ...(kept === undefined ? {} : { metadata: kept }),
    },
  ]
}
