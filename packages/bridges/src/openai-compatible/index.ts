/**
 * Models behind OpenAI chat completions (OpenAI, gateways, Ollama, vLLM, llama.cpp, LM Studio), without a library; and
 * contexts of completions that somebody else's client got.
 *
 * @example
 * import { correctness } from '@jurist/core/llm'
 * import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
 *
 * const model = openAiCompatibleModel({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3' })
 * const correct = correctness({ model })
 */
import '../errors.js'

export type { Prices } from '../context/cost.js'
export type { ContextExtras, FinishOptions, RunExtras } from '../context/extras.js'
export type { HttpModelOptions, Retries } from '../http/http-options.js'
export type { Evaluate, Observe, Observed, Run } from '../run/observe.js'
export type { ChatChoice, ChatCompletion, ChatUsage } from './context.js'
export { contextFromChatCompletion, evaluateChatCompletion, observeChatCompletion, openAiKeys } from './context.js'
export { type OpenAiCompatibleOptions, openAiCompatibleModel } from './model.js'
