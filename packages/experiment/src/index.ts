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
export { type PipelineOptions, type PipelineStages, pipelineAgent } from './agents/pipeline-agent.js'
export { type HealingInput, type RetryReason, type SelfHealingOptions, selfHealing } from './agents/self-healing.js'
export type {
  ColumnMap,
  ColumnUse,
  DatasetFile,
  DatasetPath,
  DatasetVersion,
  OpenDatasetOptions,
} from './dataset/dataset.js'
export * from './dataset/index.js'
export type { InlineDataset } from './dataset/inline.js'
export type { DatasetEntry, ItemCriteria, ItemFiles, ItemSettings, ItemSource, ItemStatus } from './dataset/item.js'
export { type DiagnoseOptions, defaultRules, diagnose, type ReadJournal } from './diagnose/diagnose.js'
export type {
  Diagnosis,
  DiagnosticInput,
  DiagnosticRule,
  Finding,
  GapCategory,
  ItemDiagnosis,
  Remediation,
} from './diagnose/diagnosis.js'
export { type EfficiencyMetric, type EfficiencyOptions, efficiency } from './efficiency.js'
export type { GivenTask } from './invocation.js'
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
export type { Isolation, Provision, ProvisionRequest, ReopenRequest, WorkspaceLease } from './provision/provision.js'
export type { WorkspaceOptions, WorkspaceSetup } from './provision/workspace-options.js'
export type { ItemFailure, StopReason } from './result/records.js'
export type { RunKind } from './result/run-kind.js'
export type { RunOverview, SummarizedTrial, TrialFigures, TrialName, TrialStage } from './result/trial-figures.js'
export type { AllowAbstain } from './result/undecided-judges.js'
export { defineExperiment } from './run/define-experiment.js'
export type { ExperimentEvent, Reporter, TrialPhase, TrialPlace } from './run/events.js'
export type {
  AgentOf,
  Budget,
  DescribedJudges,
  Experiment,
  ExperimentOptions,
  HookResult,
  Hooks,
  JudgesReading,
  Matrix,
  Preserve,
  Retries,
  Stage,
  VariantOverrides,
  VetExpectations,
} from './run/experiment.js'
export { type Plan, planExperiment } from './run/plan.js'
export type { ExperimentRun } from './run/run-experiment.js'
export { runExperiment } from './run/run-experiment.js'
export type { Distribution, RunExperimentOptions, SessionOptions, UntilOptions } from './run/run-options.js'
export { runSession, type SessionRun } from './run/run-session.js'
export { storedOutputs } from './run/stored-outputs.js'
export type { ShardOptions } from './run/trials.js'
