import type { Json, JsonObject } from '@jurist/core'
import type { JudgeModelRequest, ModelMessage, ModelOptions } from '@jurist/core/llm'
import { type Clock, type Endpoint, type Posted, post } from '../http/requests.js'
import { withSchema } from '../run/model-call.js'

/** How a response schema is enforced. */
export type Structured = 'schema' | 'object' | 'tool' | 'prompt'
/** The field of a request that limits the tokens of the answer. */
export type TokenLimitField = 'max_tokens' | 'max_completion_tokens'

/** The form of requests that a server accepts, as far as it is known. */
export interface RequestForm {
  readonly structured: Structured
  readonly tokenLimitField: TokenLimitField
  /** Whether the server accepts requests for log-probabilities. */
  readonly logprobs: boolean
}

/** The settings of all requests of a model. */
export interface ChatDefaults {
  readonly model: string
  readonly systemRole: 'system' | 'developer' | 'user'
  readonly body: JsonObject
}

const maxTopLogprobs = 20

/** The body of a chat completion. */
function chatBody(request: JudgeModelRequest, defaults: ChatDefaults, form: RequestForm): JsonObject {
  const { model, temperature, maxTokens, seed, topLogprobs, responseSchema } = request.options
  const inPrompt = responseSchema !== undefined && (form.structured === 'object' || form.structured === 'prompt')
  const messages = inPrompt ? withSchema(request.messages, responseSchema) : request.messages
  return {
    model: model ?? defaults.model,
    messages: messages.map((message) => wireMessage(message, defaults.systemRole)),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [form.tokenLimitField]: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(topLogprobs === undefined || !form.logprobs
      ? {}
      : { logprobs: true, top_logprobs: Math.min(topLogprobs, maxTopLogprobs) }),
    ...(responseSchema === undefined ? {} : schemaFields(responseSchema, form.structured)),
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

/** What may be adapted to a server. */
export interface Adaptive {
  /** Whether a looser way to enforce a schema may be tried. */
  readonly structured: boolean
  /** Whether the other name of the token limit may be tried. */
  readonly tokenLimitField: boolean
}

/** A server's response, and the form of the request that it accepted. */
export interface Adapted {
  readonly posted: Posted
  readonly form: RequestForm
}

const stepDown: { readonly [structured in Structured]?: Structured } = { schema: 'object', object: 'prompt' }

/**
 * Sends a request, and sends it in another form if the server refuses it: with the other name of the token limit, without
 * log-probabilities, with a looser way to enforce the schema. Changes one thing at a time.
 */
export async function postAdapted(
  endpoint: Endpoint,
  call: { readonly request: JudgeModelRequest; readonly defaults: ChatDefaults; readonly clock: Clock },
  first: RequestForm,
  adaptive: Adaptive,
): Promise<Adapted> {
  let form = first
  for (;;) {
    const posted = await post(endpoint, chatBody(call.request, call.defaults, form), call.clock)
    const other = otherForm(posted, call.request, form, adaptive)
    if (other === undefined) return { posted, form }
    form = other
  }
}

function otherForm(
  { status, text }: Posted,
  { options }: JudgeModelRequest,
  form: RequestForm,
  adaptive: Adaptive,
): RequestForm | undefined {
  if (status !== 400 && status !== 422) return undefined
  const { maxTokens, topLogprobs, responseSchema } = options
  const named = text.includes('max_completion_tokens')
  if (adaptive.tokenLimitField && maxTokens !== undefined && form.tokenLimitField !== 'max_tokens' && named)
    return { ...form, tokenLimitField: 'max_tokens' }
  if (topLogprobs !== undefined && form.logprobs && text.includes('logprobs')) return { ...form, logprobs: false }
  const looser = stepDown[form.structured]
  if (!adaptive.structured || responseSchema === undefined || looser === undefined) return undefined
  return { ...form, structured: looser }
}

/**
 * The form of the next request. A server that exceeded the token limit ignored its name, as Ollama and LM Studio do with
 * `max_completion_tokens`.
 */
export function nextForm(
  form: RequestForm,
  { maxTokens }: ModelOptions,
  outputTokens: number | undefined,
  adaptive: Adaptive,
): RequestForm {
  const ignored = maxTokens !== undefined && (outputTokens ?? 0) > maxTokens
  const other = adaptive.tokenLimitField && ignored && form.tokenLimitField === 'max_completion_tokens'
  return other ? { ...form, tokenLimitField: 'max_tokens' } : form
}
