/**
 * What agents of all bridges have in common: judge one run without an experiment, read the facts of a run, call an agent as a
 * model.
 *
 * @example
 * import { evaluateAgent, runFacts } from '@jurist/bridges/agent'
 * import { abstain, type Judge } from '@jurist/core'
 * import { memoryWorkspace } from '@jurist/core/testing'
 *
 * const agent = async () => ({ status: 'completed', output: { type: 'text', text: 'It is Paris.' } }) as const
 * const cheap: Judge = ({ metadata }) => {
 *   const { costUsd } = runFacts(metadata) ?? {}
 *   return costUsd === undefined ? abstain('the cost is not known') : costUsd < 0.1
 * }
 * const workspace = memoryWorkspace()
 * const judgment = await evaluateAgent(agent, cheap, { goal: 'Name the capital of France', workspace })
 */
import '../errors.js'

export { runFacts } from '../context/run-facts.js'
export type { ToolExecution } from '../context/tool-execution.js'
export { contextFromInvocation } from './context.js'
export { evaluateAgent } from './evaluate.js'
export { agentModel } from './model.js'
