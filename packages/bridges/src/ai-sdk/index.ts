/**
 * The AI SDK, `ai` 6 and 7: contexts of its results, its models as judges' models, its agents as agents.
 *
 * @example
 * import { evaluateAiSdk } from '@jurist/bridges/ai-sdk'
 * import { outputText } from '@jurist/core'
 * import { generateText, type LanguageModel } from 'ai'
 *
 * const judged = (model: LanguageModel) =>
 *   evaluateAiSdk(
 *     (abortSignal) => generateText({ model, prompt: 'What is 2 + 2?', abortSignal }),
 *     outputText({ contains: '4' }),
 *     { goal: 'What is 2 + 2?' },
 *   )
 */
import '../errors.js'

export type { FinishOptions } from '../context/extras.js'
export type { HttpRetries } from '../http/http-options.js'
export type { ContextFrom, Evaluate, Observe, Observed, Run } from '../run/bridge.js'
export { type AiSdkModelOptions, aiSdkModel } from './model.js'
export {
  type AiSdkLanguageModel,
  type AiSdkResult,
  type AiSdkStep,
  type AiSdkUsage,
  aiSdkAgent,
  contextFromAiSdk,
  evaluateAiSdk,
  observeAiSdk,
} from './runs.js'
