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

export type { Order } from './compared-calls.js'
export type { ExpectedCall, Inputs } from './expected-call.js'
export type { ExpectedInput, InputMode, InputRule } from './input-rule.js'
export type { Results, WhenNone } from './known-steps.js'
export { type StateEqualsOptions, stateEquals } from './state-equals.js'
export { type ToolCallsOptions, toolCalls } from './tool-calls.js'
export { type ToolCriteriaOptions, toolCriteria } from './tool-criteria.js'
export {
  noRepeats,
  type ToolOrderOptions,
  type ToolsUsedRule,
  toolFailures,
  toolOrder,
  toolsUsed,
} from './tool-rules.js'
