import type { JournalEvent, Json } from '@jurist/core'
import { argumentsOf, isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import { copiedMessage } from './trajectory.js'

/** A message of a model call, independent of the convention. */
export interface Message {
  readonly role: string
  readonly text: string
  readonly thinking: string
  readonly calls: readonly Extract<JournalEvent, { readonly type: 'tool-call' }>[]
  /** The results of tools, by call id. */
  readonly results: ReadonlyMap<string, string>
}

type Fields = { readonly [name: string]: Json | undefined }

/**
 * Reads the messages of an attribute, given as JSON text or data, in the forms of OpenTelemetry (`parts`),
 * OpenInference (`message`) and the AI SDK (`content`). A plain string is one message.
 *
 * @param role the role of messages without one
 */
export function messagesOf(value: Json | undefined, role: string): readonly Message[] {
  const given = typeof value === 'string' ? (parseOrUndefined(value) ?? value) : value
  if (given === undefined || given === null || given === '') return []
  if (Array.isArray(given)) return given.flatMap((one) => messageOf(one as Json, role))
  if (isPlainObject(given)) {
    const { messages, prompt, system } = given as Fields
    if (messages === undefined && prompt === undefined) return messageOf(given as Json, role)
    return [...messagesOf(system, 'system'), ...messagesOf(messages ?? prompt, role)]
  }
  return [{ role, text: String(given), thinking: '', calls: [], results: new Map() }]
}

function messageOf(given: Json, preset: string): readonly Message[] {
  if (typeof given === 'string') return messagesOf(given, preset)
  if (!isPlainObject(given)) return []
  const outer = given as Fields
  const fields = isPlainObject(outer['message']) ? (outer['message'] as Fields) : outer
  const role = typeof fields['role'] === 'string' ? fields['role'] : preset
  const content = fields['parts'] ?? fields['contents'] ?? fields['content']
  const parts = (Array.isArray(content) ? content : content === undefined ? [] : [content]) as readonly Json[]
  const calls = [...parts, ...listOf(fields['tool_calls'])].flatMap(callIn)
  const results = new Map(parts.flatMap(resultIn))
  const answers = fields['tool_call_id']
  if (typeof answers === 'string') results.set(answers, partsText(parts))
  return [{ role: answers === undefined ? role : 'tool', ...textsIn(parts), calls, results }]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

/** Reads the tool calls of `ai.response.toolCalls`. */
export function callsOf(value: Json | undefined): Message['calls'] {
  const given = typeof value === 'string' ? parseOrUndefined(value) : value
  return listOf(given as Json | undefined).flatMap((one) =>
    callIn(isPlainObject(one) ? { type: 'tool-call', ...one } : one),
  )
}

function callIn(part: Json): Message['calls'] {
  if (!isPlainObject(part)) return []
  const outer = part as Fields
  const fields = isPlainObject(outer['tool_call']) ? (outer['tool_call'] as Fields) : outer
  const made = fields['function']
  const { type } = fields
  const isCall = type === 'tool_call' || type === 'tool-call' || type === 'tool_use' || isPlainObject(made)
  if (!isCall) return []
  const own = isPlainObject(made) ? (made as Fields) : fields
  const input = own['arguments'] ?? own['input'] ?? own['args']
  return [
    {
      type: 'tool-call',
      id: String(fields['id'] ?? fields['toolCallId'] ?? ''),
      name: String(own['name'] ?? own['toolName'] ?? 'unknown'),
      input: argumentsOf(input),
    },
  ]
}

function resultIn(part: Json): readonly (readonly [string, string])[] {
  if (!isPlainObject(part)) return []
  const fields = part as Fields
  const types: readonly unknown[] = ['tool_call_response', 'tool-result', 'tool_result']
  if (!types.includes(fields['type'])) return []
  const id = fields['id'] ?? fields['toolCallId'] ?? fields['tool_use_id'] ?? ''
  const result = fields['response'] ?? fields['result'] ?? fields['output'] ?? fields['content']
  return [[String(id), contentText(result)]]
}

export function contentText(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

function textsIn(parts: readonly Json[]): { readonly text: string; readonly thinking: string } {
  const thoughts = parts.filter((part) => isPlainObject(part) && part['type'] === 'reasoning')
  return { text: partsText(parts.filter((part) => !thoughts.includes(part))), thinking: partsText(thoughts) }
}

function partsText(parts: readonly Json[]): string {
  return parts.flatMap(partText).join('\n')
}

function partText(part: Json): readonly string[] {
  if (typeof part === 'string') return [part]
  if (!isPlainObject(part) || resultIn(part as Json).length > 0 || callIn(part as Json).length > 0) return []
  const outer = part as Fields
  const fields = isPlainObject(outer['message_content']) ? (outer['message_content'] as Fields) : outer
  const text = fields['text'] ?? fields['content']
  if (typeof text === 'string') return [text]
  return [`[${String(fields['type'] ?? 'unknown')}]`]
}

/** The state while a conversation is read. */
export interface Talk {
  readonly events: JournalEvent[]
  /** The number of user messages so far. */
  users: number
  lastPrompt: string | undefined
  /** The calls without a result, and the ids of those with one. */
  readonly open: Map<string, string>
  readonly answered: Set<string>
}

type Add = (event: JournalEvent) => void

/** Adds the messages of a model's or agent's input that are new. */
export function readInput(messages: readonly Message[], talk: Talk, add: Add): void {
  for (const { results } of messages)
    for (const [id, content] of results) {
      if (!talk.open.has(id) || talk.answered.has(id)) continue
      talk.answered.add(id)
      add({ type: 'tool-result', id, failed: false, content })
    }
  const users = messages.filter(({ role, text }) => role === 'user' && text !== '')
  const last = users.at(-1)
  if (last === undefined) return
  const isFirst = talk.users === 0
  if (!isFirst && users.length <= talk.users && last.text === talk.lastPrompt) return
  if (isFirst) readHistory(messages, last, add)
  else for (const { text } of users.slice(talk.users, -1)) add({ type: 'prompt', text })
  talk.users = Math.max(talk.users, users.length)
  talk.lastPrompt = last.text
  add({ type: 'prompt', text: last.text })
}

/** Adds the messages from before the trace. */
function readHistory(messages: readonly Message[], last: Message, add: Add): void {
  for (const message of messages) {
    const { role, text } = message
    if (message === last) return
    if (text === '') continue
    if (role === 'system' || role === 'developer') add({ type: 'custom', name: 'system', data: { text } })
    else if (role === 'user') add({ type: 'custom', name: copiedMessage, data: { role: 'user', text } })
    else if (role === 'assistant') add({ type: 'custom', name: copiedMessage, data: { role: 'agent', text } })
  }
}
