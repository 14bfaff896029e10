/**
 * The OpenAI Agents SDK: contexts of its results, its agents as agents. For its models use
 * `@jurist/bridges/openai-compatible`.
 *
 * @example
 * import { evaluateOpenAiAgents } from '@jurist/bridges/openai-agents'
 * import { outputText } from '@jurist/core'
 * import { Agent, run } from '@openai/agents'
 *
 * const assistant = new Agent({ name: 'assistant', instructions: 'Be brief.' })
 * const judgment = await evaluateOpenAiAgents(
 *   (signal) => run(assistant, 'Say hello', { signal }),
 *   outputText({ contains: 'hello' }),
 *   { goal: 'Say hello' },
 * )
 */
import '../errors.js'

export {
  contextFromOpenAiAgents,
  evaluateOpenAiAgents,
  type OpenAiAgentsAgentOptions,
  type OpenAiAgentsResponse,
  type OpenAiAgentsResult,
  observeOpenAiAgents,
  openAiAgentsAgent,
} from './runs.js'
