/**
 * The OpenAI Agents SDK: contexts of its results, its agents as agents. For its models take
 * `@jurist/bridges/openai-compatible`.
 *
 * @example
 * import { evaluateOpenAiAgents } from '@jurist/bridges/openai-agents'
 *
 * const once = (signal: AbortSignal) => run(agent, 'Say hello', { signal })
 * const judgment = await evaluateOpenAiAgents(once, outputText({ contains: 'hello' }), { goal: 'Say hello' })
 */
import '../errors.js'

export type { Prices } from '../context/cost.js'
export type { ContextExtras, RunExtras } from '../context/extras.js'
export type { Evaluate, Observe, Observed, Run } from '../run/observe.js'
export type { OpenAiAgentsResponse, OpenAiAgentsResult } from './runs.js'
export {
  contextFromOpenAiAgents,
  evaluateOpenAiAgents,
  type OpenAiAgentsAgentOptions,
  observeOpenAiAgents,
  openAiAgentsAgent,
  openAiAgentsKeys,
} from './runs.js'
