/**
 * Models behind Anthropic messages, without a library; and contexts of messages that somebody else's client got.
 *
 * @example
 * import { correctness } from '@jurist/core/llm'
 * import { anthropicModel } from '@jurist/bridges/anthropic'
 *
 * const model = anthropicModel({ model: 'claude-haiku-4-5', apiKey: process.env.ANTHROPIC_API_KEY })
 * const correct = correctness({ model })
 */
import '../errors.js'

export type { Prices } from '../context/cost.js'
export type { ContextExtras, FinishOptions, RunExtras } from '../context/extras.js'
export type { HttpModelOptions, Retries } from '../http/http-options.js'
export type { Evaluate, Observe, Observed, Run } from '../run/observe.js'
export type { AnthropicMessage, AnthropicUsage } from './context.js'
export { anthropicKeys, contextFromAnthropic, evaluateAnthropic, observeAnthropic } from './context.js'
export { type AnthropicModelOptions, anthropicModel } from './model.js'
