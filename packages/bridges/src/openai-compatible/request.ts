import type { Json, JsonObject } from '@jurist/core'
import type { JudgeModelRequest, ModelMessage, ModelOptions } from '@jurist/core/llm'
import { type Clock, type Endpoint, type Posted, post } from '../http/requests.js'
import { withSchema } from '../run/model-call.js'

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
function chatBody(request: JudgeModelRequest, defaults: ChatDefaults, manner: Manner): JsonObject {
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

/** What may be found out about a server by asking. */
export interface Adaptive {
  /** Whether the way to a schema may step down. */
  readonly structured: boolean
  /** Whether the other name of the token limit may be tried. */
  readonly tokenLimitField: boolean
}

/** A server's answer, and the manner in which it gave it. */
export interface Adapted {
  readonly posted: Posted
  readonly manner: Manner
}

const stepDown: { readonly [structured in Structured]?: Structured } = { schema: 'object', object: 'prompt' }

/**
 * Sends a request, in another manner when the server refuses the first: another name of the token limit, no
 * log-probabilities, a looser way to a schema. One thing is changed at a time.
 */
export async function postInManner(
  endpoint: Endpoint,
  call: { readonly request: JudgeModelRequest; readonly defaults: ChatDefaults; readonly clock: Clock },
  first: Manner,
  adaptive: Adaptive,
): Promise<Adapted> {
  let manner = first
  for (;;) {
    const posted = await post(endpoint, chatBody(call.request, call.defaults, manner), call.clock)
    const other = otherManner(posted, call.request, manner, adaptive)
    if (other === undefined) return { posted, manner }
    manner = other
  }
}

function otherManner(
  { status, text }: Posted,
  { options }: JudgeModelRequest,
  manner: Manner,
  adaptive: Adaptive,
): Manner | undefined {
  if (status !== 400 && status !== 422) return undefined
  const { maxTokens, topLogprobs, responseSchema } = options
  const named = text.includes('max_completion_tokens')
  if (adaptive.tokenLimitField && maxTokens !== undefined && manner.tokenLimitField !== 'max_tokens' && named)
    return { ...manner, tokenLimitField: 'max_tokens' }
  if (topLogprobs !== undefined && manner.logprobs && text.includes('logprobs')) return { ...manner, logprobs: false }
  const looser = stepDown[manner.structured]
  if (!adaptive.structured || responseSchema === undefined || looser === undefined) return undefined
  return { ...manner, structured: looser }
}

/**
 * The manner for the next request, once an answer has come: a server that wrote more than the limit has ignored its name,
 * as Ollama and LM Studio do with `max_completion_tokens`.
 */
export function learned(
  manner: Manner,
  { maxTokens }: ModelOptions,
  outputTokens: number | undefined,
  adaptive: Adaptive,
): Manner {
  const ignored = maxTokens !== undefined && (outputTokens ?? 0) > maxTokens
  const other = adaptive.tokenLimitField && ignored && manner.tokenLimitField === 'max_completion_tokens'
  return other ? { ...manner, tokenLimitField: 'max_tokens' } : manner
}
