import { failureOf } from '@jurist/core/internal'
import type { Look } from '../context/look.js'
import { isList } from '../context/look.js'
import type { RetrievedSource } from '../context/source.js'
import { metadataIn } from '../context/source.js'
import type { ToolCall, ToolExecution, ToolOutcome } from '../context/tool-execution.js'
import { joinTools } from '../context/tool-execution.js'
import { ofType, textIn } from './messages.js'

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
