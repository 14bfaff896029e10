/**
 * The bridge to the OpenAI Agents SDK: contexts from its results, and its agents as agents.
 *
 * @example
 * import { openAiAgentsAgent } from 'jurist/openai-agents'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/openai-agents'
