import type { Embed, Embeddings } from '@jurist/core/answers'
import { arrayOf, finite, giveInfo, optionInvalid } from '@jurist/core/internal'
import { costOf, type Prices } from '../context/cost.js'
import { readSafely } from '../context/safe-reader.js'
import { usageFrom } from '../context/usage.js'
import { checkHttpOptions, type HttpModelOptions, httpRules, httpSettings } from '../http/http-options.js'
import { responseProblem } from '../http/model-errors.js'
import { jsonOf, post, withClock } from '../http/requests.js'
import { bearer } from './model.js'

const name = 'openAiCompatibleEmbeddings'

/**
 * Creates a function that turns strings into vectors, behind any server with OpenAI's route `/embeddings`: OpenAI,
 * gateways, Ollama, vLLM, llama.cpp, LM Studio. With `prices` the judgment includes the cost.
 *
 * @throws `option-invalid`; a call rejects with `model-http`, `model-connection`, `model-response`, `model-timeout` or
 * `aborted`
 *
 * @example
 * import { openAiCompatibleEmbeddings } from '@jurist/bridges/openai-compatible'
 * import { similarTo } from '@jurist/core/answers'
 *
 * const embed = openAiCompatibleEmbeddings({ baseUrl: 'http://localhost:11434/v1', model: 'nomic-embed-text' })
 * const alike = similarTo({ by: 'embedding', embed, threshold: 0.8 })
 */
export function openAiCompatibleEmbeddings(options: HttpModelOptions): Embed {
  const { model, body = {}, prices, ...checked } = checkHttpOptions(name, options, httpRules)
  const { baseUrl } = checked
  if (baseUrl === undefined)
    optionInvalid('baseUrl', `${name}: "baseUrl" is missing. Pass one such as "http://localhost:11434/v1".`)
  const route = '/embeddings'
  const { endpoint, timeoutMs } = httpSettings({ ...checked, model }, { name, baseUrl, route, headers: bearer })
  const embed: Embed = function openAiCompatibleEmbeddings(texts, signal) {
    return withClock(signal, timeoutMs, async (clock) => {
      const posted = await post(endpoint, { model, input: texts, encoding_format: 'float', ...body }, clock)
      return embeddingsIn(jsonOf(posted), texts.length, { model, prices })
    })
  }
  return giveInfo(embed, { options: { model, body } })
}

interface Priced {
  readonly model: string
  readonly prices: Prices | undefined
}

/** Servers may answer in another order: each vector has the index of its text. */
function embeddingsIn(answer: unknown, count: number, { model, prices }: Priced): Embeddings {
  const reader = readSafely(answer, [])
  const entries = reader.get('data').array()
  const byIndex = new Map(entries.map((entry, at) => [entry.get('index').number() ?? at, entry.get('embedding').value]))
  const vectors = Array.from({ length: count }, (_, index) => byIndex.get(index)).filter(isVector)
  if (vectors.length !== count) throw responseProblem(`it has ${vectors.length} vectors for ${count} texts`)
  const usage = usageFrom(reader.get('usage'), { inputTokens: 'prompt_tokens' })
  const reported = reader.get('usage').get('cost').amount()
  if (usage === undefined) return { vectors, costUsd: reported }
  const { costUsd } = costOf({ reported, model, usage: { ...usage, outputTokens: 0 } }, prices, [])
  return { vectors, usage, costUsd }
}

function isVector(value: unknown): value is readonly number[] {
  return vectorRule.holds(value)
}

const vectorRule = arrayOf('a vector', finite)
