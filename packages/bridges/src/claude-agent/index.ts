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

export { claudeAgent, claudeModel } from './agent.js'
export { claudeCommand } from './command.js'
export { contextFromClaudeAgent, evaluateClaudeAgent, observeClaudeAgent } from './context.js'
