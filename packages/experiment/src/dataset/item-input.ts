import type { JsonObject } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { frozenJson, isPlainObject } from '@jurist/core/internal'
import type { Spot } from './problem.js'

/** A message of a chat, in the form of the model protocols: other keys are kept. */
interface ChatMessage {
  readonly role: string
  /** A string, or parts; those with a `text` count. */
  readonly content?: unknown
}

function isMessages(value: unknown): value is readonly ChatMessage[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((message) => isPlainObject(message) && typeof message['role'] === 'string')
  )
}

/** Whether a value has the form of an input: an object, or an array of chat messages. */
export function isInput(value: unknown): boolean {
  return isPlainObject(value) || isMessages(value)
}

/**
 * The input in a value, frozen: an object, or `{ messages }` for an array of chat messages. Reports anything else, and then
 * returns `null`.
 */
export function readInput(value: unknown, field: string, { file, item, report }: Spot): JsonObject | null {
  const given = isMessages(value) ? { messages: value } : value
  if (!isPlainObject(given)) {
    const remedy = 'Write {"city": "Paris"}, or [{"role": "user", "content": "Hello"}].'
    report({ file, item, field, problem: 'must be an object or an array of chat messages.', remedy })
    return null
  }
  try {
    return frozenJson(given, [field]) as JsonObject
  } catch (thrown) {
    if (!JuristError.is(thrown, 'metadata-invalid')) throw thrown
    report({ file, item, field, problem: 'cannot be stored.', remedy: 'Rename the key, or nest less deeply.' })
    return null
  }
}

/** The task of an item that has only an input: the text of a single message, several with their roles, otherwise JSON. */
export function taskOfInput(input: JsonObject): string {
  const { messages, ...others } = input
  if (!isMessages(messages) || Object.keys(others).length > 0) return JSON.stringify(input, null, 2)
  const [first] = messages
  if (messages.length === 1 && first?.role === 'user') return textOf(first)
  return messages.map((message) => `${message.role}: ${textOf(message)}`).join('\n\n')
}

function textOf({ content, ...rest }: ChatMessage): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(partText).join('\n')
  return JSON.stringify(content ?? rest)
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part
  if (!isPlainObject(part)) return JSON.stringify(part)
  return typeof part['text'] === 'string' ? part['text'] : `[${String(part['type'] ?? 'part')}]`
}
