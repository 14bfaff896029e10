/**
 * Experiments with agents: what to run, how often, within which limits, judged by which jury, and where results are kept.
 *
 * @example
 * import { completed, runExperiment } from '@jurist/experiment'
 *
 * const run = runExperiment({
 *   name: 'sums',
 *   dataset: [{ id: 'two', task: 'What is 1 + 1?' }],
 *   agent: async () => completed('2'),
 * })
 * for await (const event of run) if (event.type === 'item-end') console.log(event.itemId, event.result.passed)
 * const { passRate } = await run.result
 */

export { type JudgedAgent, type JudgedInvocation, type JudgedOptions, judged } from './agents/judged.js'
export { type PipelineOptions, pipelineAgent } from './agents/pipeline-agent.js'
export { type SelfHealingOptions, selfHealing } from './agents/self-healing.js'
export * from './dataset/index.js'
export { defaultRules } from './diagnose/default-rules.js'
export { type DiagnoseOptions, diagnose } from './diagnose/diagnose.js'
export type {
  Diagnosis,
  DiagnosticInput,
  DiagnosticRule,
  Finding,
  GapCategory,
  ItemDiagnosis,
  Remediation,
} from './diagnose/diagnosis.js'
export { type EfficiencyMetric, type EfficiencyOptions, efficiency } from './efficiency/efficiency.js'
export type { ExperimentIssue } from './errors.js'
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
export { type CopyWorkspacesOptions, copyWorkspaces } from './provision/copy-workspaces.js'
export { type GitWorkspacesOptions, gitWorkspaces } from './provision/git-workspaces.js'
export type { Knowledge } from './provision/knowledge.js'
export type { Isolation, Provision, ProvisionRequest, WorkspaceLease } from './provision/provision.js'
export { defineExperiment } from './run/define-experiment.js'
export type * from './run/events.js'
export type * from './run/experiment.js'
export { planExperiment } from './run/plan.js'
export { renderPrompt } from './run/prompt.js'
export { runExperiment } from './run/run-experiment.js'
export type { ExperimentRun, Plan, RunExperimentOptions, SessionOptions, SessionRun } from './run/run-options.js'
export { runSession } from './run/run-session.js'
