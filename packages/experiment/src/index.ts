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

export { judged } from './agents/judged.js'
export { pipelineAgent } from './agents/pipeline-agent.js'
export { selfHealing } from './agents/self-healing.js'
export * from './dataset/index.js'
export { defaultRules } from './diagnose/default-rules.js'
export { diagnose } from './diagnose/diagnose.js'
export type {
  Diagnosis,
  DiagnosticRule,
} from './diagnose/diagnosis.js'
export { efficiency } from './efficiency.js'
export {
  completed,
  type ExperimentInvocation,
  errored,
  fromPhases,
  timedOut,
  trialOf,
} from './invocation.js'
export { mergeRuns } from './merge/merge-plan.js'
export { copyWorkspaces } from './provision/copy-workspaces.js'
export { gitWorkspaces } from './provision/git-workspaces.js'
export type { Knowledge } from './provision/knowledge.js'
export type { Provision, WorkspaceLease } from './provision/provision.js'
export type { WorkspaceSetup } from './provision/workspace-options.js'
export { defineExperiment } from './run/define-experiment.js'
export type { ExperimentEvent, Reporter } from './run/events.js'
export type { Experiment, ExperimentOptions, Hooks } from './run/experiment.js'
export { planExperiment } from './run/plan.js'
export type { ExperimentRun } from './run/run-experiment.js'
export { runExperiment } from './run/run-experiment.js'
export { runSession } from './run/run-session.js'
export { storedOutputs } from './run/stored-outputs.js'
