/**
 * Mastra: contexts of its results, its agents as agents. For its models, pass the AI SDK model that the agent uses to
 * `@jurist/bridges/ai-sdk`.
 *
 * @example
 * import { evaluateMastra } from '@jurist/bridges/mastra'
 * import { outputText } from '@jurist/core'
 * import type { Agent } from '@mastra/core/agent'
 *
 * const judged = (assistant: Agent) =>
 *   evaluateMastra(
 *     (abortSignal) => assistant.generate('Say hello', { abortSignal }),
 *     outputText({ contains: 'hello' }),
 *     { goal: 'Say hello' },
 *   )
 */
import '../errors.js'

export {
  contextFromMastra,
  evaluateMastra,
  type MastraResult,
  type MastraStep,
  mastraAgent,
  observeMastra,
} from './runs.js'
