/**
 * The OpenAI Agents SDK: contexts of its results, its agents as agents.
 *
 * @example
 * import { openAiAgentsAgent } from 'jurist/openai-agents'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/openai-agents'
