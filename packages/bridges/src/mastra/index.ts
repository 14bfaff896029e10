/**
 * Mastra: contexts of its results, its agents as agents. For its models take the AI SDK model that the agent was made of,
 * with `@jurist/bridges/ai-sdk`.
 *
 * @example
 * import { evaluateMastra } from '@jurist/bridges/mastra'
 *
 * const run = (abortSignal: AbortSignal) => agent.generate('Say hello', { abortSignal })
 * const judgment = await evaluateMastra(run, outputText({ contains: 'hello' }), { goal: 'Say hello' })
 */
import '../errors.js'

export type { Prices } from '../context/cost.js'
export type { ContextExtras, FinishOptions, RunExtras } from '../context/extras.js'
export type { Evaluate, Observe, Observed, Run } from '../run/observe.js'
export type { MastraResult, MastraStep } from './runs.js'
export { contextFromMastra, evaluateMastra, mastraAgent, mastraKeys, observeMastra } from './runs.js'
