/**
 * Coding agents that speak the Agent Client Protocol.
 *
 * @example
 * import { acpAgent } from '@jurist/bridges/acp'
 *
 * const agent = acpAgent({ command: ['claude-agent-acp'], environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
import '../errors.js'

export type { AgentEnvironment, CodingAgentOptions, Permissions } from '../coding/coding-options.js'
export { type AcpAgentOptions, acpAgent } from './agent.js'
export type { Permit } from './permission.js'
export type { McpServers } from './session.js'
export type {
  AcpPermissionOption,
  AcpPermissionRequest,
  AcpToolCallUpdate,
  StartedProcess,
  StartProcess,
} from './shape.js'
export type { AnswerRule } from './transcript.js'
