import type { JsonObject } from '@jurist/core'
import { giveInfo, type OptionRule, option } from '@jurist/core/internal'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse, ModelMessage, ModelOptions } from '@jurist/core/llm'
import { costOf, type Prices } from '../context/cost.js'
import { checkHttpOptions, type HttpModelOptions, httpRules, httpSettings } from '../http/http-options.js'
import { refusedProblem, responseProblem } from '../http/model-errors.js'
import { errorText, jsonOf, type Posted, post, withClock } from '../http/requests.js'
import { dataIn, modelResponse, unsupported, withSchema } from '../run/model-call.js'
import { type AnthropicReading, readAnthropic } from './context.js'

/** How a response schema is enforced. */
export type AnthropicStructured = 'schema' | 'tool' | 'prompt'

interface MessageDefaults {
  readonly model: string
  readonly maxTokens: number
  readonly structured: AnthropicStructured
  readonly body: JsonObject
}

function messageBody(request: JudgeModelRequest, defaults: MessageDefaults): JsonObject {
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

/** The protocol requires alternating roles. */
function joinedNeighbours(messages: readonly ModelMessage[]): readonly JsonObject[] {
  const joined: { role: string; content: string }[] = []
  for (const { role, content } of messages) {
    const last = joined.at(-1)
    if (last?.role === role) last.content = `${last.content}\n\n${content}`
    else joined.push({ role, content })
  }
  return joined
}

/** The options of `anthropicModel`. */
export interface AnthropicModelOptions extends HttpModelOptions {
  /** The `anthropic-version`. Default `2023-06-01`. */
  readonly version?: string
  /** The token limit of responses, which the protocol requires; `maxTokens` of a request overrides it. Default 4,096. */
  readonly maxTokens?: number
  /** How a response schema is enforced. Default `schema`. */
  readonly structured?: AnthropicStructured
}

const rules: { readonly [name in keyof Required<AnthropicModelOptions>]: OptionRule } = {
  ...httpRules,
  version: option.string,
  maxTokens: option.integer(1),
  structured: option.oneOf('schema', 'tool', 'prompt'),
}

const name = 'anthropicModel'
const defaultBaseUrl = 'https://api.anthropic.com'
/** The protocol does not support them. */
const unknownSettings: readonly (keyof ModelOptions)[] = ['seed', 'topLogprobs']

/**
 * Creates a model behind a server that supports Anthropic messages, without a library.
 *
 * @throws `option-invalid`; a call rejects with `model-http`, `model-connection`, `model-response`, `model-refused`,
 * `model-timeout` or `aborted`
 *
 * @example
 * import { anthropicModel } from '@jurist/bridges/anthropic'
 * import { correctness } from '@jurist/core/llm'
 *
 * const model = anthropicModel({ model: 'claude-haiku-4-5', apiKey: process.env['ANTHROPIC_API_KEY'] })
 * const correct = correctness({ model })
 */
export function anthropicModel(options: AnthropicModelOptions): JudgeModel {
  const checked = checkHttpOptions(name, options, rules)
  const {
    baseUrl = defaultBaseUrl,
    version = '2023-06-01',
    maxTokens = 4_096,
    structured = 'schema',
    body = {},
  } = checked
  const headers = (key: string | undefined) => ({
    'anthropic-version': version,
    ...(key === undefined ? {} : { 'x-api-key': key }),
  })
  const { endpoint, timeoutMs } = httpSettings(checked, { name, baseUrl, route: '/v1/messages', headers })
  const defaults: MessageDefaults = { model: checked.model, maxTokens, structured, body }
  const judgeModel: JudgeModel = async function anthropic(request) {
    return withClock(request.signal, request.options.timeoutMs ?? timeoutMs, async (clock) => {
      const posted = await post(endpoint, messageBody(request, defaults), clock)
      const reading = readingOf(posted)
      return responseOf(reading, {
        request,
        defaults,
        attempts: clock.attempts,
        prices: checked.prices,
        secrets: posted.secrets,
      })
    })
  }
  return giveInfo(judgeModel, { options: defaults })
}

/** Throws if the response does not follow the protocol. */
function readingOf(posted: Posted): AnthropicReading {
  const reading = readAnthropic(jsonOf(posted))
  if (reading.reportsError) throw responseProblem(errorText(posted))
  if (!reading.isMessage) throw responseProblem('it has no content')
  if (reading.outcome.facts.finishReason === 'refusal') throw refusedProblem('stop reason refusal')
  return reading
}

interface Answering {
  readonly request: JudgeModelRequest
  readonly defaults: MessageDefaults
  readonly attempts: number
  readonly prices: Prices | undefined
  readonly secrets: readonly string[]
}

function responseOf({ outcome, text, blocks }: AnthropicReading, answering: Answering): JudgeModelResponse {
  const { request, defaults, attempts, prices, secrets } = answering
  const { model, usage, finishReason, responseId, truncated, warnings = [] } = outcome.facts
  const { responseSchema } = request.options
  const byTool = responseSchema !== undefined && defaults.structured === 'tool'
  const written = byTool ? (toolInput(blocks) ?? text) : text
  const noted = [...warnings, ...unsupported(request.options, unknownSettings)]
  const { costUsd } = costOf({ model: model ?? request.options.model ?? defaults.model, usage }, prices, noted)
  return modelResponse({
    text: written,
    data: responseSchema === undefined ? undefined : dataIn(written),
    model,
    usage,
    costUsd,
    secrets,
    metadata: { finishReason, responseId, attempts, truncated, warnings: noted },
  })
}

/** The input of the tool, as JSON. */
function toolInput(blocks: AnthropicReading['blocks']): string | undefined {
  const call = blocks.find((block) => block.get('type').value === 'tool_use')
  const input = call?.get('input').value
  return typeof input === 'string' || input === undefined ? input : JSON.stringify(input)
}
