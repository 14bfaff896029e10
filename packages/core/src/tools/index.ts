/**
 * Judges of the tools that an agent called, and of the state that it left.
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { toolCalls, toolOrder, toolsUsed } from '@jurist/core/tools'
 *
 * jury({
 *   judges: {
 *     calls: toolCalls({ expected: [{ name: 'cancel_order', input: { id: 'A-1' } }], extra: 'allowed' }),
 *     asked: toolOrder('ask_user', 'cancel_order'),
 *     safe: toolsUsed({ none: ['delete_account'] }),
 *   },
 * })
 */
export type { ExpectedCall } from './expected-call.js'
export { noRepeats, toolFailures } from './repeats.js'
export { stateEquals } from './state-equals.js'
export { toolCalls } from './tool-calls.js'
export { toolCriteria } from './tool-criteria.js'
export { toolOrder, toolsUsed } from './tool-rules.js'
