/**
 * Models behind Anthropic messages, without a library, and contexts of messages that another client received.
 *
 * @example
 * import { anthropicModel } from '@jurist/bridges/anthropic'
 * import { correctness } from '@jurist/core/llm'
 *
 * const model = anthropicModel({ model: 'claude-haiku-4-5', apiKey: process.env['ANTHROPIC_API_KEY'] })
 * const correct = correctness({ model })
 */
import '../errors.js'

export type { HttpModelOptions } from '../http/http-options.js'
export {
  type AnthropicMessage,
  type AnthropicUsage,
  contextFromAnthropic,
  evaluateAnthropic,
  observeAnthropic,
} from './context.js'
export { type AnthropicModelOptions, type AnthropicStructured, anthropicModel } from './model.js'
