/**
 * Agents that support the Agent Client Protocol.
 *
 * @example
 * import { acpAgent } from 'jurist/acp'
 */
export * from '@jurist/bridges/acp'
