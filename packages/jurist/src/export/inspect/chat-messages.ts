import type { JournalEvent, Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'

/** A message of the model while it is written. */
interface AssistantMessage {
  readonly role: 'assistant'
  text: string
  thoughts: string[]
  calls: JsonObject[]
  readonly model: string | undefined
}

/**
 * What an agent did as the messages of a chat, as Inspect keeps them. Events without a counterpart are left out: they stay in
 * the journal of the trial.
 */
export function chatMessages(events: readonly JournalEvent[]): readonly JsonObject[] {
  const messages: (JsonObject | AssistantMessage)[] = []
  const names = new Map<string, string>()
  const current = (): AssistantMessage => {
    const last = messages.at(-1)
    return last !== undefined && isAssistant(last) ? last : begin(messages, undefined)
  }
  for (const event of events) {
    if (event.type === 'prompt') messages.push({ role: 'user', content: event.text })
    else if (event.type === 'model-call') begin(messages, event.model)
    else if (event.type === 'thinking') current().thoughts.push(event.text)
    else if (event.type === 'text') addText(messages, current(), event.text)
    else if (event.type === 'tool-call') {
      names.set(event.id, event.name)
      current().calls.push({
        id: event.id,
        function: event.name,
        arguments: argumentsOf(event.input),
        type: 'function',
      })
    } else if (event.type === 'tool-result') messages.push(resultOf(event, names.get(event.id)))
    else messages.push(...systemMessage(event))
  }
  return messages.flatMap((one) => (isAssistant(one) ? written(one) : [one]))
}

function isAssistant(message: JsonObject | AssistantMessage): message is AssistantMessage {
  return 'thoughts' in message
}

function begin(messages: (JsonObject | AssistantMessage)[], model: string | undefined): AssistantMessage {
  const message: AssistantMessage = { role: 'assistant', text: '', thoughts: [], calls: [], model }
  messages.push(message)
  return message
}

/** A text after another text or a call begins a message of its own. */
function addText(messages: (JsonObject | AssistantMessage)[], last: AssistantMessage, text: string): void {
  const message = last.text === '' && last.calls.length === 0 ? last : begin(messages, last.model)
  message.text = text
}

/** A call of a model that gave nothing is no message. */
function written({ text, thoughts, calls, model }: AssistantMessage): readonly JsonObject[] {
  if (text === '' && thoughts.length === 0 && calls.length === 0) return []
  const parts: Json[] = [
    ...thoughts.map((reasoning) => ({ type: 'reasoning', reasoning })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ]
  return [
    {
      role: 'assistant',
      content: thoughts.length === 0 ? text : parts,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(model === undefined || model === 'unknown' ? {} : { model }),
    },
  ]
}

function argumentsOf(input: Json): Json {
  return isPlainObject(input) ? (input as Json) : { input }
}

type ToolResult = Extract<JournalEvent, { readonly type: 'tool-result' }>

function resultOf({ id, content, failed }: ToolResult, name: string | undefined): JsonObject {
  const error = failed ? { error: { type: 'unknown', message: content } } : {}
  return { role: 'tool', content, tool_call_id: id, ...(name === undefined ? {} : { function: name }), ...error }
}

function systemMessage(event: JournalEvent): readonly JsonObject[] {
  if (event.type !== 'custom' || event.name !== 'system' || !isPlainObject(event.data)) return []
  const { text } = event.data
  return typeof text === 'string' ? [{ role: 'system', content: text }] : []
}
