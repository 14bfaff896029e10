import type { JsonObject } from '@jurist/core'
import { giveInfo, optionsIn } from '@jurist/core/internal'
import type { JudgeModel, JudgeModelRequest, JudgeModelResponse } from '@jurist/core/llm'
import {
  checkOtel,
  failSpan,
  genAi,
  type OtelAttribute,
  type OtelOptions,
  otelRules,
  quietly,
  type SafeSpan,
  startSpan,
} from './span.js'

/**
 * Returns the same model with a trace of its calls: each call becomes a span `chat <model>` with the request and the
 * response. Messages are recorded only with `content: 'full'`.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
 * import { tracedModel } from '@jurist/bridges/otel'
 * import { trace } from '@opentelemetry/api'
 *
 * const local = openAiCompatibleModel({ model: 'qwen3', baseUrl: 'http://localhost:11434/v1' })
 * const model = tracedModel(local, { tracer: trace.getTracer('jurist') })
 */
export function tracedModel(ask: JudgeModel, options: OtelOptions): JudgeModel {
  const checked = checkOtel('tracedModel', options, otelRules)
  const { tracer, content } = checked
  const traced: JudgeModel = async function tracedModel(request) {
    const asked = quietly(() => attributesOf(request, content)) ?? {}
    const model = asked[genAi.requestModel]
    const span = startSpan(tracer, model === undefined ? 'chat' : `chat ${model}`, asked)
    try {
      const response = await ask(request)
      quietly(() => setResponse(span, response, content))
      return response
    } catch (thrown) {
      failSpan(span, checked, thrown)
      throw thrown
    } finally {
      span.end()
    }
  }
  return giveInfo(traced, { options: optionsIn(ask) })
}

function attributesOf(
  { options, messages }: JudgeModelRequest,
  content: OtelOptions['content'],
): { readonly [name: string]: OtelAttribute | undefined } {
  return {
    [genAi.operation]: 'chat',
    [genAi.requestModel]: options.model,
    [genAi.requestTemperature]: options.temperature,
    [genAi.requestMaxTokens]: options.maxTokens,
    [genAi.requestSeed]: options.seed,
    [genAi.inputMessages]: content === 'full' ? JSON.stringify(messages) : undefined,
  }
}

function setResponse(
  span: SafeSpan,
  { model, usage, metadata, text }: JudgeModelResponse,
  content: OtelOptions['content'],
): void {
  const reason = factIn(metadata, 'finishReason')
  span.set({
    [genAi.responseModel]: model,
    [genAi.responseId]: factIn(metadata, 'responseId'),
    [genAi.finishReasons]: reason === undefined ? undefined : [reason],
    [genAi.inputTokens]: usage?.inputTokens,
    [genAi.outputTokens]: usage?.outputTokens,
    [genAi.cacheReadTokens]: usage?.cacheReadTokens,
    [genAi.cacheWriteTokens]: usage?.cacheWriteTokens,
    [genAi.reasoningTokens]: usage?.reasoningTokens,
    [genAi.outputMessages]: content === 'full' ? JSON.stringify([{ role: 'assistant', content: text }]) : undefined,
  })
}

/** With or without the prefix of a bridge. */
function factIn(metadata: JsonObject | undefined, name: string): string | undefined {
  const found = Object.entries(metadata ?? {}).find(([key]) => key === name || key.endsWith(`.${name}`))?.[1]
  return typeof found === 'string' ? found : undefined
}
