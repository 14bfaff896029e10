/**
 * The OpenAI Agents SDK: contexts of its results, its agents as agents.
 *
 * @example
 * import { openAiAgentsAgent } from 'jurist/openai-agents'
 */
export * from '@jurist/bridges/openai-agents'
