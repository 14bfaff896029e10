/**
 * Judges of an agent's tool calls, and of the state that it leaves.
 *
 * @example
 * import { toolCalls, toolsUsed } from 'jurist/tools'
 *
 * const right = jury({ judges: { calls: toolCalls(), safe: toolsUsed({ none: ['delete_account'] }) } })
 */
export * from '@jurist/core/tools'
