import type { Usage } from '@jurist/core'
import type { JudgeModelRequest, JudgeModelResponse } from '@jurist/core/llm'
import type { Prices } from '../context/cost.js'
import { costOf } from '../context/cost.js'
import type { SafeReader } from '../context/safe-reader.js'
import { usageFrom } from '../context/usage.js'
import { refusedProblem, responseProblem } from '../http/model-errors.js'
import { dataIn, logprobsIn, modelResponse } from '../run/model-call.js'
import { warningsIn } from './reading.js'
import type { AiSdkLanguageModel } from './runs.js'
import { prefix } from './runs.js'

/** The call that a response belongs to. */
export interface Answering {
  readonly request: JudgeModelRequest
  readonly model: AiSdkLanguageModel
  readonly provider: string
  readonly attempts: number
  readonly prices: Prices | undefined
}

/**
 * Reads the result of `doGenerate`.
 *
 * @throws `model-refused` if a content filter stopped the model, `model-response` if an error did
 */
export function responseOf(reader: SafeReader, answering: Answering): JudgeModelResponse {
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

/** The log-probabilities in the provider's metadata, else in a response body in OpenAI's format. */
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
  const [input, output] = [usage.get('inputTokens'), usage.get('outputTokens')]
  return usageFrom(
    {
      inputTokens: input.get('total'),
      cacheReadTokens: input.get('cacheRead'),
      cacheWriteTokens: input.get('cacheWrite'),
      outputTokens: output.get('total'),
      reasoningTokens: output.get('reasoning'),
      totalTokens: usage.get('raw').get('total_tokens'),
    },
    usage.warnings,
  )
}
