import type { Json, JsonObject } from '@jurist/core'
import type { JudgeModelRequest, ModelMessage } from '@jurist/core/llm'
import { withSchema } from '../run/structured.js'

/** How an answer is held to a schema. */
export type Structured = 'schema' | 'object' | 'tool' | 'prompt'
export type TokenLimitField = 'max_tokens' | 'max_completion_tokens'

/** How a server wants to be asked, as far as that is known. */
export interface Manner {
  readonly structured: Structured
  readonly tokenLimitField: TokenLimitField
  /** Whether log-probabilities may be asked for. */
  readonly logprobs: boolean
}

/** What a model asks for in every request. */
export interface ChatDefaults {
  readonly model: string
  readonly systemRole: 'system' | 'developer' | 'user'
  readonly body: JsonObject
}

const maxTopLogprobs = 20

/** The body of a chat completion. */
export function chatBody(request: JudgeModelRequest, defaults: ChatDefaults, manner: Manner): JsonObject {
  const { model, temperature, maxTokens, seed, topLogprobs, responseSchema } = request.options
  const inPrompt = responseSchema !== undefined && (manner.structured === 'object' || manner.structured === 'prompt')
  const messages = inPrompt ? withSchema(request.messages, responseSchema) : request.messages
  return {
    model: model ?? defaults.model,
    messages: messages.map((message) => wireMessage(message, defaults.systemRole)),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [manner.tokenLimitField]: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(topLogprobs === undefined || !manner.logprobs
      ? {}
      : { logprobs: true, top_logprobs: Math.min(topLogprobs, maxTopLogprobs) }),
    ...(responseSchema === undefined ? {} : schemaFields(responseSchema, manner.structured)),
    ...defaults.body,
  }
}

function wireMessage({ role, content }: ModelMessage, systemRole: ChatDefaults['systemRole']): JsonObject {
  return { role: role === 'system' ? systemRole : role, content }
}

function schemaFields(schema: Json, structured: Structured): JsonObject {
  switch (structured) {
    case 'schema':
      return { response_format: { type: 'json_schema', json_schema: { name: 'judgment', strict: true, schema } } }
    case 'object':
      return { response_format: { type: 'json_object' } }
    case 'tool':
      return {
        tools: [{ type: 'function', function: { name: 'judgment', parameters: schema } }],
        tool_choice: { type: 'function', function: { name: 'judgment' } },
      }
    case 'prompt':
      return {}
    default:
      return structured satisfies never
  }
}
