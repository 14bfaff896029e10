/**
 * Coding agents that speak the Agent Client Protocol.
 *
 * @example
 * import { acpAgent } from '@jurist/bridges/acp'
 *
 * const agent = acpAgent({ command: ['claude-agent-acp'], environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
import '../errors.js'

export { type AcpAgentOptions, acpAgent } from './agent.js'
export type { AcpPermissionOption, AcpPermissionRequest, AcpToolCallUpdate } from './shape.js'
