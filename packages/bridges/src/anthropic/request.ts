import type { JsonObject } from '@jurist/core'
import type { JudgeModelRequest, ModelMessage } from '@jurist/core/llm'
import { withSchema } from '../run/structured.js'

/** How an answer is held to a schema. */
export type AnthropicStructured = 'schema' | 'tool' | 'prompt'

/** What a model asks for in every request. */
export interface MessageDefaults {
  readonly model: string
  readonly maxTokens: number
  readonly structured: AnthropicStructured
  readonly body: JsonObject
}

/** The body of an Anthropic message. */
export function messageBody(request: JudgeModelRequest, defaults: MessageDefaults): JsonObject {
  const { model, temperature, maxTokens, responseSchema } = request.options
  const { structured } = defaults
  const inPrompt = responseSchema !== undefined && structured === 'prompt'
  const messages = inPrompt ? withSchema(request.messages, responseSchema) : request.messages
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  return {
    model: model ?? defaults.model,
    max_tokens: maxTokens ?? defaults.maxTokens,
    messages: joinedNeighbours(messages.filter(({ role }) => role !== 'system')),
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(responseSchema === undefined ? {} : schemaFields(responseSchema as JsonObject, structured)),
    ...defaults.body,
  }
}

function schemaFields(schema: JsonObject, structured: AnthropicStructured): JsonObject {
  switch (structured) {
    case 'schema':
      return { output_config: { format: { type: 'json_schema', schema } } }
    case 'tool':
      return {
        tools: [{ name: 'judgment', input_schema: schema }],
        tool_choice: { type: 'tool', name: 'judgment' },
      }
    case 'prompt':
      return {}
    default:
      return structured satisfies never
  }
}

/** Neighbours of one role as one message, for the protocol wants the roles to alternate. */
function joinedNeighbours(messages: readonly ModelMessage[]): readonly JsonObject[] {
  const joined: { role: string; content: string }[] = []
  for (const { role, content } of messages) {
    const last = joined.at(-1)
    if (last?.role === role) last.content = `${last.content}\n\n${content}`
    else joined.push({ role, content })
  }
  return joined
}
