/**
 * Models behind OpenAI chat completions (OpenAI, gateways, Ollama, vLLM, llama.cpp, LM Studio), without a library, and contexts
 * of completions that another client received.
 *
 * @example
 * import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
 * import { correctness } from '@jurist/core/llm'
 *
 * const model = openAiCompatibleModel({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3' })
 * const correct = correctness({ model })
 */
import '../errors.js'

export {
  type ChatChoice,
  type ChatCompletion,
  type ChatUsage,
  contextFromChatCompletion,
  evaluateChatCompletion,
  observeChatCompletion,
} from './context.js'
export { openAiCompatibleEmbeddings } from './embeddings.js'
export { type OpenAiCompatibleOptions, openAiCompatibleModel, type Structured, type TokenLimitField } from './model.js'
