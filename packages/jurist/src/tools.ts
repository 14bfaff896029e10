/**
 * Judges of the tools that an agent called, and of the state that it left.
 *
 * @example
 * import { toolCalls, toolsUsed } from 'jurist/tools'
 *
 * const right = jury({ judges: { calls: toolCalls(), safe: toolsUsed({ none: ['delete_account'] }) } })
 */
export * from '@jurist/core/tools'
