import type { Json, JsonObject } from '@jurist/core'
import { giveInfo, isPlainObject, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse, ModelMessage, ModelOptions } from '@jurist/core/llm'
import { costOf, type Prices } from '../context/cost.js'
import { checkHttpOptions, type HttpModelOptions, httpRules, httpSettings } from '../http/http-options.js'
import { refusedProblem, responseProblem } from '../http/model-errors.js'
import { type Clock, type Endpoint, errorText, jsonOf, type Posted, post, withClock } from '../http/requests.js'
import { dataIn, logprobsIn, modelResponse, withSchema } from '../run/model-call.js'
import { textWithoutSecrets } from '../run/secrets.js'
import { type ChatReading, readChat } from './context.js'

/** The options of `openAiCompatibleModel`. */
export interface OpenAiCompatibleOptions extends HttpModelOptions {
  /**
   * How a response schema is enforced. Default `auto`: tries `schema`, then `object`, then `prompt` when the server
   * refuses, and remembers what worked for this schema. Responses in a looser form are reported in the metadata
   * `notices`.
   */
  readonly structured?: 'auto' | Structured
  /**
   * The name of the token limit. Default `auto`: `max_completion_tokens`, then `max_tokens` when the server refuses the first
   * or exceeds the limit; remembers what worked. For Ollama and LM Studio, which ignore the first, pass `max_tokens`.
   */
  readonly tokenLimitField?: 'auto' | TokenLimitField
  /** The role of system messages. Default `system`. */
  readonly systemRole?: 'system' | 'developer' | 'user'
}

const rules: { readonly [name in keyof Required<OpenAiCompatibleOptions>]: OptionRule } = {
  ...httpRules,
  structured: option.oneOf('auto', 'schema', 'object', 'tool', 'prompt'),
  tokenLimitField: option.oneOf('auto', 'max_tokens', 'max_completion_tokens'),
  systemRole: option.oneOf('system', 'developer', 'user'),
}

const name = 'openAiCompatibleModel'

/**
 * Creates a model behind any server that supports OpenAI chat completions, without a library: OpenAI, gateways, Ollama,
 * vLLM, llama.cpp, LM Studio.
 *
 * @throws `option-invalid`; a call rejects with `model-http`, `model-connection`, `model-response`, `model-refused`,
 * `model-timeout` or `aborted`
 *
 * @example
 * import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
 * import { correctness } from '@jurist/core/llm'
 *
 * const model = openAiCompatibleModel({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3' })
 * const correct = correctness({ model })
 */
export function openAiCompatibleModel(options: OpenAiCompatibleOptions): JudgeModel {
  const checked = checkHttpOptions(name, options, rules)
  const { baseUrl, structured = 'auto', tokenLimitField = 'auto', systemRole = 'system', body = {}, prices } = checked
  if (baseUrl === undefined)
    optionInvalid('baseUrl', `${name}: "baseUrl" is missing. Pass one such as "http://localhost:11434/v1".`)
  const settings = httpSettings(checked, { name, baseUrl, route: '/chat/completions', headers: bearer })
  const defaults: ChatDefaults = { model: checked.model, systemRole, body }
  const adaptive = { structured: structured === 'auto', tokenLimitField: tokenLimitField === 'auto' }
  const strictest = structured === 'auto' ? 'schema' : structured
  /** Keyed by schema: a server that refuses one may accept others. */
  const loosened = new Map<string, Structured>()
  let known: Omit<RequestForm, 'structured'> = {
    tokenLimitField: tokenLimitField === 'auto' ? 'max_completion_tokens' : tokenLimitField,
    logprobs: true,
  }
  const judgeModel: JudgeModel = async function openAiCompatible(request) {
    const timeoutMs = request.options.timeoutMs ?? settings.timeoutMs
    return withClock(request.signal, timeoutMs, async (clock) => {
      const { responseSchema } = request.options
      const schema = responseSchema === undefined ? undefined : JSON.stringify(responseSchema)
      const first = { ...known, structured: loosened.get(schema ?? '') ?? strictest }
      const { posted, form } = await postAdapted(settings.endpoint, { request, defaults, clock }, first, adaptive)
      const reading = readingOf(posted)
      const outputTokens = reading.outcome.facts.usage?.outputTokens
      const { structured: used, ...changed } = changesIn(first, nextForm(form, request.options, outputTokens, adaptive))
      known = { ...known, ...changed }
      if (schema !== undefined && used !== undefined) loosened.set(schema, used)
      return responseOf(reading, {
        request,
        form,
        isLoosened: form.structured !== strictest,
        attempts: clock.attempts,
        asked: defaults.model,
        prices,
        secrets: posted.secrets,
      })
    })
  }
  return giveInfo(judgeModel, { options: { model: checked.model, structured, systemRole, body } })
}

export function bearer(key: string | undefined): { readonly [name: string]: string } {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

function changesIn(first: RequestForm, last: RequestForm): Partial<RequestForm> {
  const changed = Object.entries(last).filter(([part, value]) => value !== first[part as keyof RequestForm])
  return Object.fromEntries(changed)
}

/** Throws if the response does not follow the protocol. */
function readingOf(posted: Posted): ChatReading {
  const reading = readChat(jsonOf(posted))
  const { choice, refusal, outcome } = reading
  const { finishReason } = outcome.facts
  if (reading.reportsError || finishReason === 'error') throw responseProblem(errorText(posted))
  if (!choice.present) throw responseProblem('it has no choice')
  if (refusal !== undefined) throw refusedProblem(textWithoutSecrets(refusal, posted.secrets))
  if (finishReason === 'content_filter') throw refusedProblem('finish reason content_filter')
  return reading
}

interface Answering {
  readonly request: JudgeModelRequest
  readonly form: RequestForm
  readonly isLoosened: boolean
  readonly attempts: number
  /** The model, unless the request names one. */
  readonly asked: string
  readonly prices: Prices | undefined
  readonly secrets: readonly string[]
}

function responseOf({ outcome, text, choice }: ChatReading, answering: Answering): JudgeModelResponse {
  const { request, form, isLoosened, attempts, asked, prices, secrets } = answering
  const { model, usage, costUsd, finishReason, responseId, truncated, warnings = [] } = outcome.facts
  const { maxTokens, topLogprobs, responseSchema } = request.options
  const wantsTool = responseSchema !== undefined && form.structured === 'tool'
  const written = wantsTool ? (argumentsIn(choice) ?? text) : text
  const logprobs = topLogprobs === undefined ? undefined : logprobsIn(choice.get('logprobs').get('content'))
  const noted = [...warnings]
  if (topLogprobs !== undefined && logprobs === undefined) noted.push('logprobs-unsupported')
  if ((usage?.outputTokens ?? 0) > (maxTokens ?? Number.POSITIVE_INFINITY))
    noted.push(`token-limit-ignored: ${form.tokenLimitField}`)
  const cost = costOf({ reported: costUsd, model: model ?? request.options.model ?? asked, usage }, prices, noted)
  return modelResponse({
    text: written,
    data: responseSchema === undefined ? undefined : dataIn(written),
    model,
    usage,
    costUsd: cost.costUsd,
    logprobs,
    secrets,
    metadata: {
      finishReason,
      responseId,
      attempts,
      truncated,
      systemFingerprint: outcome.own?.['systemFingerprint'],
      warnings: noted,
      notices: isLoosened && responseSchema !== undefined ? [loosenedNotice(asked, responseSchema, form)] : undefined,
    },
  })
}

function loosenedNotice(model: string, schema: Json, { structured }: RequestForm): string {
  const { properties } = isPlainObject(schema) ? schema : {}
  const fields = isPlainObject(properties) ? ` of ${Object.keys(properties).join(', ')}` : ''
  const instead = structured === 'object' ? 'as a JSON object of any form' : 'by the prompt alone'
  return (
    `The server of the model "${model}" refuses the JSON Schema${fields}, so this answer is asked for ${instead}. ` +
    'Set "structured" of the model to the form that its server takes.'
  )
}

function argumentsIn(choice: ChatReading['choice']): string | undefined {
  const call = choice.get('message').get('tool_calls').array()[0]
  return call?.get('function').get('arguments').string()
}

/** How a response schema is enforced. */
export type Structured = 'schema' | 'object' | 'tool' | 'prompt'
/** The field of a request that limits the tokens of the answer. */
export type TokenLimitField = 'max_tokens' | 'max_completion_tokens'

/** The form of requests that a server accepts, as far as it is known. */
interface RequestForm {
  readonly structured: Structured
  readonly tokenLimitField: TokenLimitField
  readonly logprobs: boolean
}

interface ChatDefaults {
  readonly model: string
  readonly systemRole: 'system' | 'developer' | 'user'
  readonly body: JsonObject
}

const maxTopLogprobs = 20

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

/** Settings that may be adapted to a server. */
interface Adaptive {
  readonly structured: boolean
  readonly tokenLimitField: boolean
}

const stepDown: { readonly [structured in Structured]?: Structured } = { schema: 'object', object: 'prompt' }

/**
 * If the server refuses a request, sends it in another form: with the other name of the token limit, without
 * log-probabilities, with a looser way to enforce the schema. Changes one thing at a time.
 */
async function postAdapted(
  endpoint: Endpoint,
  call: { readonly request: JudgeModelRequest; readonly defaults: ChatDefaults; readonly clock: Clock },
  first: RequestForm,
  adaptive: Adaptive,
): Promise<{ readonly posted: Posted; readonly form: RequestForm }> {
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

/** A server that exceeded the token limit ignored its name, as Ollama and LM Studio do with `max_completion_tokens`. */
function nextForm(
  form: RequestForm,
  { maxTokens }: ModelOptions,
  outputTokens: number | undefined,
  adaptive: Adaptive,
): RequestForm {
  const ignored = maxTokens !== undefined && (outputTokens ?? 0) > maxTokens
  const other = adaptive.tokenLimitField && ignored && form.tokenLimitField === 'max_completion_tokens'
  return other ? { ...form, tokenLimitField: 'max_tokens' } : form
}
