/**
 * Functions for the agents of all bridges: judge one run without an experiment, read the facts of a run, call an agent
 * as a model.
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

export type { Prices } from '../context/cost.js'
export type { ContextExtras, RunExtras } from '../context/extras.js'
export { type CostBasis, type PermissionDenial, type RunFacts, runFacts } from '../context/run-facts.js'
export type { RetrievedSource } from '../context/sources.js'
export type { ToolExecution } from '../context/tool-execution.js'
export type { Transcript } from '../run/journal.js'
export { contextFromInvocation } from './context.js'
export { type AgentExtras, type EvaluateAgent, evaluateAgent } from './evaluate.js'
export { type AgentModelOptions, agentModel } from './model.js'
