/**
 * Agents of any bridge: judge one run without an experiment, read what is known of a run, ask an agent as a model.
 *
 * @example
 * import { evaluateAgent, runFacts } from '@jurist/bridges/agent'
 *
 * const cheap: Judge = ({ metadata }) => (runFacts(metadata)?.costUsd ?? 0) < 0.1
 * const judgment = await evaluateAgent(agent, cheap, { goal: 'Make the tests pass', workspace })
 */
import '../errors.js'

export type { ContextExtras, RunExtras } from '../context/extras.js'
export { type CostBasis, type PermissionDenial, type RunFacts, runFacts } from '../context/run-facts.js'
export type { RetrievedSource } from '../context/sources.js'
export type { ToolExecution } from '../context/tool-execution.js'
export { contextFromInvocation } from './context.js'
export { type AgentExtras, type EvaluateAgent, evaluateAgent } from './evaluate.js'
export { type AgentModelOptions, agentModel } from './model.js'
