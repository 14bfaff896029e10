import type { Json } from '@jurist/core'
import type { ModelMessage } from '@jurist/core/llm'
import { toJson } from '../context/to-json.js'

/** The messages with the schema of the answer appended to the last one of the user, for models that know no schema. */
export function withSchema(messages: readonly ModelMessage[], schema: Json): readonly ModelMessage[] {
  const asked = `Answer with one JSON value that keeps this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) return [...messages, { role: 'user', content: asked }]
  return messages.map((message, index) =>
    index === last ? { ...message, content: `${message.content}\n\n${asked}` } : message,
  )
}

/** The text of a structured answer as data, a fence of code around it taken off; `undefined` when it is no JSON. */
export function dataIn(text: string): Json | undefined {
  const [, fenced] = /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(text) ?? []
  try {
    return toJson(JSON.parse(fenced ?? text), { maxText: Number.POSITIVE_INFINITY })
  } catch {
    return undefined
  }
}
