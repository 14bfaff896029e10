import type { Json, JsonObject, JuristError, Usage } from '@jurist/core'
import { checkOptions, giveInfo, type OptionRule, option, optionInvalid } from '@jurist/core/internal'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse, ModelMessage } from '@jurist/core/llm'
import { isRetryableStatus, pause, retryAfterMsIn, retryPauseMs } from '@jurist/kit/retry-pause'
import { costOf, type Prices, pricesRule } from '../context/cost.js'
import { definedParts } from '../context/outcome.js'
import { isObject, propertyOf, readSafely, type SafeReader } from '../context/safe-reader.js'
import { usageFrom } from '../context/usage.js'
import { type HttpRetries, retriesRule } from '../http/http-options.js'
import { connectionProblem, httpProblem, refusedProblem, responseProblem } from '../http/model-errors.js'
import { type Backoff, type Clock, withClock } from '../http/requests.js'
import { isConnectionFailure } from '../run/classify-error.js'
import { withinGrace } from '../run/deadline.js'
import { dataIn, logprobsIn, modelResponse, withSchema } from '../run/model-call.js'
import { withoutKeys } from '../run/secrets.js'
import { warningsIn } from './reading.js'
import { type AiSdkLanguageModel, prefix } from './runs.js'

/**
 * Calls a language model. Retries errors that the provider calls retryable, statuses 408, 409, 425, 429 and from 500, and
 * lost connections, unless the pause would exceed `maxMs` or the time limit.
 *
 * @throws `model-http`, `model-connection`, `model-response`; other errors of the provider unchanged
 */
async function withAttempts<Value>(call: () => PromiseLike<Value>, backoff: Backoff, clock: Clock): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      clock.signal.throwIfAborted()
      clock.attempts += 1
      return await call()
    } catch (thrown) {
      if (clock.signal.aborted) throw thrown
      const waitMs = retryPauseMs(attempt, backoff, retryAfterIn(thrown))
      const tooLong = waitMs > backoff.maxMs || performance.now() + waitMs >= clock.endsAt
      if (attempt >= backoff.attempts || tooLong || !mayPass(thrown)) throw problemOf(thrown)
      await pause(waitMs, clock.signal)
    }
  }
}

function mayPass(thrown: unknown): boolean {
  if (!isObject(thrown)) return false
  const status = statusIn(thrown)
  if (isCalledRetryable(thrown) || isConnectionFailure(thrown)) return true
  return status !== undefined && isRetryableStatus(status)
}

/** Whether the provider calls an error retryable. */
function isCalledRetryable(thrown: unknown): boolean {
  return isObject(thrown) && propertyOf(thrown, 'isRetryable') === true
}

function statusIn(thrown: unknown): number | undefined {
  const status = isObject(thrown) ? propertyOf(thrown, 'statusCode') : undefined
  return typeof status === 'number' ? status : undefined
}

function retryAfterIn(thrown: unknown): number | undefined {
  const headers = isObject(thrown) ? propertyOf(thrown, 'responseHeaders') : undefined
  return isObject(headers) ? retryAfterMsIn((name) => headerText(propertyOf(headers, name))) : undefined
}

function headerText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

const shownCharacters = 500
function problemOf(thrown: unknown): JuristError | unknown {
  const status = statusIn(thrown)
  const isLost = isConnectionFailure(thrown) || (status === undefined && isCalledRetryable(thrown))
  if (isLost) return connectionProblem(hostIn(thrown), 'the connection failed')
  if (status === undefined) return thrown
  const message = isObject(thrown) ? withoutKeys(String(propertyOf(thrown, 'message'))).slice(0, shownCharacters) : ''
  if (status < 300) return responseProblem(message)
  const about = status === 401 || status === 403 ? 'check the key' : message
  const text = `The provider answered with status ${status}: ${about}.`
  return httpProblem(text, { status, retryAfterMs: retryAfterIn(thrown) })
}

function hostIn(thrown: unknown): string {
  const url = isObject(thrown) ? propertyOf(thrown, 'url') : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : 'The provider'
}

/** Keyed by the provider's name. */
type ProviderOptions = Record<string, Record<string, Json>>

interface CallDefaults {
  /** The first part of the model's provider, such as `openai` of `openai.chat`. */
  readonly provider: string
  readonly structured: 'schema' | 'prompt'
  readonly logprobs: 'auto' | 'off' | ((count: number) => ProviderOptions)
  readonly providerOptions: ProviderOptions
}

/** The options are the same in the specifications `v3` and `v4`. */
function callOptions(request: JudgeModelRequest, defaults: CallDefaults, abortSignal: AbortSignal): object {
  const { temperature, maxTokens, seed, topLogprobs, responseSchema } = request.options
  const inPrompt = responseSchema !== undefined && defaults.structured === 'prompt'
  const messages = inPrompt ? withSchema(request.messages, responseSchema) : request.messages
  const asked = topLogprobs === undefined ? {} : logprobOptions(topLogprobs, defaults)
  return {
    prompt: messages.map(wireMessage),
    temperature,
    maxOutputTokens: maxTokens,
    seed,
    ...(responseSchema === undefined || inPrompt
      ? {}
      : { responseFormat: { type: 'json', schema: responseSchema, name: 'judgment' } }),
    providerOptions: merged(asked, defaults.providerOptions),
    abortSignal,
  }
}

function wireMessage({ role, content }: ModelMessage): JsonObject {
  return { role, content: role === 'system' ? content : [{ type: 'text', text: content }] }
}

function logprobOptions(count: number, { logprobs, provider }: CallDefaults): ProviderOptions {
  if (logprobs === 'off') return {}
  if (logprobs !== 'auto') return logprobs(count)
  if (provider.startsWith('openai')) return { openai: { logprobs: count } }
  return { [provider]: { logprobs: true, top_logprobs: count } }
}

function merged(first: ProviderOptions, second: ProviderOptions): ProviderOptions {
  const names = new Set([...Object.keys(first), ...Object.keys(second)])
  return Object.fromEntries([...names].map((name) => [name, { ...first[name], ...second[name] }]))
}

/** The options of `aiSdkModel`. */
export interface AiSdkModelOptions {
  /** Default: 3 attempts, with pauses of up to 1,000 ms, doubled up to 30,000. */
  readonly retries?: HttpRetries
  /** How a response schema is enforced. Default `schema`: by `responseFormat`. */
  readonly structured?: 'schema' | 'prompt'
  /** How log-probabilities are requested. Default `auto`: as for OpenAI, or for servers compatible with it. */
  readonly logprobs?: 'auto' | 'off' | ((count: number) => Record<string, Record<string, Json>>)
  /** Passed on with each call, by the provider's name. */
  readonly providerOptions?: Record<string, Record<string, Json>>
  /** Prices by model, to compute the cost of a call. */
  readonly prices?: Prices
}

const rules: { readonly [name in keyof Required<AiSdkModelOptions>]: OptionRule } = {
  retries: retriesRule,
  structured: option.oneOf('schema', 'prompt'),
  logprobs: option.either(option.oneOf('auto', 'off'), option.function),
  providerOptions: option.record,
  prices: pricesRule,
}

const defaultBackoff: Backoff = { attempts: 3, baseMs: 1_000, maxMs: 30_000 }
const defaultTimeoutMs = 120_000
const specifications: readonly unknown[] = ['v3', 'v4']

/**
 * Creates a judge's model from a model of any provider of the AI SDK, `ai` 6 or 7. It calls the model object itself,
 * which is the same in both versions and keeps the provider's response.
 *
 * @param model a provider's model object, such as `openai('gpt-5-mini')`; not a string
 * @throws `option-invalid` for another specification than `v3` and `v4`; a call rejects with `model-http`,
 * `model-connection`, `model-response`, `model-refused`, `model-timeout` or `aborted`
 *
 * @example
 * import { openai } from '@ai-sdk/openai'
 * import { aiSdkModel } from '@jurist/bridges/ai-sdk'
 * import { correctness } from '@jurist/core/llm'
 *
 * const correct = correctness({ model: aiSdkModel(openai('gpt-5-mini')) })
 */
export function aiSdkModel(model: AiSdkLanguageModel, options?: AiSdkModelOptions): JudgeModel {
  checkModel(model)
  const checked = checkOptions('aiSdkModel', options, rules)
  const { retries, structured = 'schema', logprobs = 'auto', providerOptions = {}, prices } = checked
  const provider = model.provider.split('.')[0] ?? ''
  const defaults: CallDefaults = { provider, structured, logprobs, providerOptions: providerOptions as ProviderOptions }
  const judgeModel: JudgeModel = async function aiSdk(request) {
    checkRequest(model, request)
    return withClock(request.signal, request.options.timeoutMs ?? defaultTimeoutMs, async (clock) => {
      const call = () => {
        const called = model.doGenerate(callOptions(request, defaults, clock.signal) as never)
        return withinGrace(called, clock.signal, 0)
      }
      const generated = await withAttempts(call, { ...defaultBackoff, ...definedParts(retries ?? {}) }, clock)
      return responseOf(readSafely(generated, []), { request, model, provider, attempts: clock.attempts, prices })
    })
  }
  return giveInfo(judgeModel, { options: { model: model.modelId, ...defaults } })
}

function checkModel(model: unknown): asserts model is AiSdkLanguageModel {
  const version = isObject(model) ? propertyOf(model, 'specificationVersion') : undefined
  if (isObject(model) && specifications.includes(version) && typeof propertyOf(model, 'provider') === 'string') return
  const found = isObject(model) ? `one of specification ${JSON.stringify(version)}` : `a ${typeof model}`
  optionInvalid(
    'model',
    `aiSdkModel: the model must be a language model object of "ai" 6 or 7 (specification v3 or v4; got ${found}). Make one with a provider, such as openai("gpt-5-mini").`,
  )
}

function checkRequest({ modelId }: AiSdkLanguageModel, { options }: JudgeModelRequest): void {
  if (options.model === undefined || options.model === modelId) return
  optionInvalid(
    'model',
    `aiSdkModel: the model is ${modelId}; a request cannot change it to ${options.model}. Make a second model.`,
  )
}

interface Answering {
  readonly request: JudgeModelRequest
  readonly model: AiSdkLanguageModel
  readonly provider: string
  readonly attempts: number
  readonly prices: Prices | undefined
}

/** @throws `model-refused` if a content filter stopped the model, `model-response` if an error did */
function responseOf(reader: SafeReader, answering: Answering): JudgeModelResponse {
  const { request, model, provider, attempts, prices } = answering
  const { topLogprobs, responseSchema } = request.options
  const finish = reader.get('finishReason')
  const finishReason = finish.get('unified').string()
  if (finishReason === 'content-filter') throw refusedProblem('finish reason content-filter')
  if (finishReason === 'error') throw responseProblem('its finish reason is error')
  const text = textIn(reader)
  const answeredBy = reader.get('response').get('modelId').string()
  const usage = usageIn(reader.get('usage'))
  const warnings = [...warningsIn(reader.get('warnings')), ...reader.warnings]
  const logprobs = topLogprobs === undefined ? undefined : logprobsIn(logprobsPlace(reader, provider))
  if (topLogprobs !== undefined && logprobs === undefined) warnings.push('logprobs-unsupported')
  const { costUsd } = costOf({ model: answeredBy ?? model.modelId, usage }, prices, warnings)
  return modelResponse({
    text,
    data: responseSchema === undefined ? undefined : dataIn(reader.get('structuredOutputText').string() ?? text),
    model: answeredBy,
    usage,
    costUsd,
    logprobs,
    metadata: {
      [`${prefix}.provider`]: model.provider,
      [`${prefix}.responseId`]: reader.get('response').get('id').string(),
      [`${prefix}.finishReason`]: finishReason,
      [`${prefix}.rawFinishReason`]: finish.get('raw').string(),
      [`${prefix}.truncated`]: finishReason === 'length' ? true : undefined,
      [`${prefix}.warnings`]: warnings,
      attempts,
    },
  })
}

function textIn(reader: SafeReader): string {
  const texts = reader
    .get('content')
    .array()
    .map((part) => (part.get('type').value === 'text' ? part.get('text').string() : ''))
  return texts.join('')
}

/** In the provider's metadata, or else in a response body in OpenAI's format. */
function logprobsPlace(reader: SafeReader, provider: string): SafeReader {
  const kept = reader
    .get('providerMetadata')
    .get(provider.startsWith('openai') ? 'openai' : provider)
    .get('logprobs')
  if (kept.present) return kept
  const body = reader.get('response').get('body')
  const choice = body.get('choices').array()[0] ?? body.get('none')
  return choice.get('logprobs').get('content')
}

function usageIn(usage: SafeReader): Usage | undefined {
  return usageFrom(usage, {
    inputTokens: 'inputTokens.total',
    cacheReadTokens: 'inputTokens.cacheRead',
    cacheWriteTokens: 'inputTokens.cacheWrite',
    outputTokens: 'outputTokens.total',
    reasoningTokens: 'outputTokens.reasoning',
    totalTokens: 'raw.total_tokens',
  })
}
