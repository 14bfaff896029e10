/**
 * Experiments with agents: what to run, how often, within which limits, judged by whom, and kept where.
 *
 * @example
 * import { runExperiment } from '@jurist/experiment'
 *
 * const run = runExperiment({ name: 'add-readme', dataset: 'dataset', agent, jury, store: 'results' })
 * for await (const event of run) if (event.type === 'item-end') console.log(event.itemId, event.result.passed)
 * const { passRate } = await run.result
 */

export { type JudgedAgent, type JudgedInvocation, type JudgedOptions, judged } from './agents/judged.js'
export { type PipelineOptions, pipelineAgent } from './agents/pipeline-agent.js'
export { type SelfHealingOptions, selfHealing } from './agents/self-healing.js'
export * from './dataset/index.js'
export { defaultRules } from './diagnose/default-rules.js'
export { type DiagnoseOptions, diagnose } from './diagnose/diagnose.js'
export type * from './diagnose/diagnosis.js'
export { type EfficiencyMetric, type EfficiencyOptions, efficiency } from './efficiency/efficiency.js'
export {
  type Analysis,
  completed,
  type ExecutionPlan,
  type ExperimentInvocation,
  errored,
  fromPhases,
  type InvocationFacts,
  type TrialFacts,
  timedOut,
  trialOf,
} from './invocation.js'
export * from './provision/index.js'
export { defineExperiment } from './run/define-experiment.js'
export type * from './run/events.js'
export type * from './run/experiment.js'
export { type ContextParts, contextOf } from './run/judgment-context.js'
export { planExperiment } from './run/plan.js'
export { renderPrompt } from './run/prompt.js'
export type { TrialPlan } from './run/resume.js'
export { newestUnfinished } from './run/resume.js'
export { runExperiment } from './run/run-experiment.js'
export type * from './run/run-options.js'
export { runSession } from './run/run-session.js'
export { type SessionPlan, sessionPlanOf } from './run/session-plan.js'
