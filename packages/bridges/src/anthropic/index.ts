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

export { contextFromAnthropic, evaluateAnthropic, observeAnthropic } from './context.js'
export { anthropicModel } from './model.js'
