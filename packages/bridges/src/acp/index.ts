/**
 * Coding agents that speak the Agent Client Protocol.
 *
 * @example
 * import { acpAgent } from '@jurist/bridges/acp'
 *
 * const agent = acpAgent({ command: ['claude-agent-acp'], environment: { allow: ['ANTHROPIC_API_KEY'] } })
 */
import '../errors.js'

export { acpAgent } from './agent.js'
