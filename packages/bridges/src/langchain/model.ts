import type { Json } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, giveInfo, option, optionInvalid } from '@jurist/core/internal'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse } from '@jurist/core/llm'
import type { Prices } from '../context/cost.js'
import { costOf, pricesRule } from '../context/cost.js'
import type { SafeReader } from '../context/safe-reader.js'
import { isObject, propertyOf, readSafely } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { connectionProblem, httpProblem, refusedProblem } from '../http/model-errors.js'
import { withClock } from '../http/requests.js'
import { httpStatusOf, isConnectionFailure } from '../run/classify-error.js'
import { withinGrace } from '../run/deadline.js'
import { dataIn, logprobsIn, modelResponse, unsupported, withSchema } from '../run/model-call.js'
import { finishOfAnswer, finishReasonOf, modelOf, textIn, usageOf } from './reading.js'
import type { LangChainModel } from './runs.js'
import { prefix } from './runs.js'

/** The options of `langChainModel`. */
export interface LangChainModelOptions {
  /**
   * Creates a runnable that enforces a response schema, such as `(schema) => model.withStructuredOutput(schema, {
   * includeRaw: true })`. Called for each request with a schema. Default: the schema is added to the prompt.
   */
  readonly structured?: (schema: Json) => LangChainModel
  /** Prices by model, to compute the cost of a call. */
  readonly prices?: Prices
}

const rules: { readonly [name in keyof Required<LangChainModelOptions>]: OptionRule } = {
  structured: option.function,
  prices: pricesRule,
}

const defaultTimeoutMs = 120_000

/**
 * Creates a judge's model from a chat model of LangChain. LangChain models have fixed settings, so `temperature`,
 * `maxTokens`, `seed` and `model` of a request add warnings. LangChain retries by itself; the bridge does not.
 *
 * @throws `option-invalid`; a call rejects with `model-http`, `model-connection`, `model-refused`, `model-timeout`,
 * `aborted`, or with LangChain's error
 *
 * @example
 * import { langChainModel } from '@jurist/bridges/langchain'
 * import { correctness } from '@jurist/core/llm'
 * import { ChatOpenAI } from '@langchain/openai'
 *
 * const chat = new ChatOpenAI({ model: 'gpt-5-mini', temperature: 0 })
 * const correct = correctness({ model: langChainModel(chat) })
 */
export function langChainModel(model: LangChainModel, options?: LangChainModelOptions): JudgeModel {
  if (!isObject(model) || typeof propertyOf(model, 'invoke') !== 'function')
    optionInvalid('model', 'langChainModel: the model must be a chat model with a method "invoke".')
  const { structured, prices } = checkOptions('langChainModel', options, rules)
  const judgeModel: JudgeModel = async function langChain(request) {
    const { responseSchema, timeoutMs = defaultTimeoutMs } = request.options
    const holder = responseSchema === undefined ? undefined : structured?.(responseSchema)
    const inPrompt = responseSchema !== undefined && holder === undefined
    const messages = inPrompt ? withSchema(request.messages, responseSchema) : request.messages
    return withClock(request.signal, timeoutMs, async ({ signal }) => {
      const wire = messages.map(({ role, content }) => ({ role, content }))
      const answered = await withinGrace(invoked(holder ?? model, wire, signal), signal, 0)
      return responseOf(answered, { request, isHeld: holder !== undefined, prices })
    })
  }
  const settings = ['model', 'modelName', 'temperature'].map((name) => [name, propertyOf(model, name)])
  return giveInfo(judgeModel, { options: Object.fromEntries(settings) })
}

async function invoked(model: LangChainModel, messages: readonly object[], signal: AbortSignal): Promise<unknown> {
  try {
    return await model.invoke(messages as never, { signal } as never)
  } catch (thrown) {
    if (signal.aborted || !isObject(thrown)) throw thrown
    const status = httpStatusOf(thrown)
    if (status !== undefined) throw httpProblem(`LangChain was answered with status ${status}.`, { status })
    if (isConnectionFailure(thrown)) throw connectionProblem("The model's server", 'the connection failed')
    throw thrown
  }
}

interface Answering {
  readonly request: JudgeModelRequest
  /** If a runnable enforced the schema, the answer is `{ raw, parsed }`. */
  readonly isHeld: boolean
  readonly prices: Prices | undefined
}

function responseOf(answered: unknown, { request, isHeld, prices }: Answering): JudgeModelResponse {
  const warnings: string[] = [...unsupported(request.options, ['temperature', 'maxTokens', 'seed', 'model'])]
  const root = readSafely(answered, warnings)
  const raw = root.get('raw')
  const answer = isHeld && raw.present ? raw : root
  const finish = finishOfAnswer(answer)
  const finishReason = finishReasonOf(answer)
  if (finish.status === 'refused') throw refusedProblem(`finish reason ${finishReason}`)
  const text = textIn(answer)
  const usage = usageOf(answer.get('usage_metadata'))
  const model = modelOf(answer)
  const { topLogprobs, responseSchema } = request.options
  const logprobs =
    topLogprobs === undefined ? undefined : logprobsIn(answer.get('response_metadata').get('logprobs').get('content'))
  if (topLogprobs !== undefined && logprobs === undefined) warnings.push('logprobs-unsupported')
  const { costUsd } = costOf({ model, usage }, prices, warnings)
  return modelResponse({
    text,
    data: responseSchema === undefined ? undefined : dataOf(root, isHeld, text),
    model,
    usage,
    costUsd,
    logprobs,
    metadata: {
      [`${prefix}.provider`]: answer.get('response_metadata').get('model_provider').string(),
      [`${prefix}.responseId`]: answer.get('id').string(),
      [`${prefix}.finishReason`]: finishReason,
      [`${prefix}.truncated`]: finish.truncated,
      [`${prefix}.warnings`]: warnings,
    },
  })
}

/**
 * The data that the runnable parsed, or else the text as JSON. A runnable without `includeRaw` returns the data alone.
 */
function dataOf(root: SafeReader, isHeld: boolean, text: string): Json | undefined {
  if (!isHeld) return dataIn(text)
  if (!root.get('raw').present) return toJson(root.value, { maxText: Number.POSITIVE_INFINITY })
  const parsed = root.get('parsed')
  return parsed.present ? toJson(parsed.value, { maxText: Number.POSITIVE_INFINITY }) : dataIn(text)
}
