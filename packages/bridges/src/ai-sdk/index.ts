/**
 * The AI SDK, `ai` 6 and 7: contexts of its results, its models as judges, its agents as agents.
 *
 * @example
 * import { aiSdkModel, evaluateAiSdk } from '@jurist/bridges/ai-sdk'
 * import { correctness } from '@jurist/core/llm'
 *
 * const correct = correctness({ model: aiSdkModel(openai('gpt-5-mini')) })
 * const run = (abortSignal: AbortSignal) => generateText({ model, prompt: 'What is 2 + 2?', abortSignal })
 * const judgment = await evaluateAiSdk(run, correct, { goal: 'What is 2 + 2?' })
 */
import '../errors.js'

export type { Prices } from '../context/cost.js'
export type { ContextExtras, FinishOptions, RunExtras } from '../context/extras.js'
export type { Retries } from '../http/http-options.js'
export type { Evaluate, Observe, Observed, Run } from '../run/observe.js'
export { type AiSdkModelOptions, aiSdkModel } from './model.js'
export type { AiSdkLanguageModel, AiSdkResult, AiSdkStep, AiSdkUsage } from './runs.js'
export { aiSdkAgent, aiSdkKeys, contextFromAiSdk, evaluateAiSdk, observeAiSdk } from './runs.js'
