/**
 * Claude as an agent, through its Agent SDK or as a program; contexts of its runs; Claude as a model.
 *
 * @example
 * import { query } from '@anthropic-ai/claude-agent-sdk'
 * import { claudeAgent } from '@jurist/bridges/claude-agent'
 *
 * const agent = claudeAgent({ query, environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
import '../errors.js'

export type { AgentEnvironment, CodingAgentOptions, Permissions } from '../coding/coding-options.js'
export {
  type ClaudeAgentOptions,
  type ClaudeMessage,
  type ClaudeModelOptions,
  type ClaudeQuery,
  type ClaudeRun,
  claudeAgent,
  claudeModel,
  contextFromClaudeAgent,
  evaluateClaudeAgent,
  observeClaudeAgent,
} from './agent.js'
export { type ClaudeCommandOptions, claudeCommand } from './command.js'
export type { ClaudeOptions } from './settings.js'
