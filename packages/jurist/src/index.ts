/**
 * Unit tests for AI agents: judges examine an agent's work, juries vote, experiments measure.
 *
 * @example
 * import { cascade, commandSucceeds, consensus, fileExists, jury, runExperiment } from 'jurist'
 *
 * const rules = jury({ judges: { readme: fileExists('README.md') }, vote: consensus() })
 * const proof = jury({ judges: { runs: commandSucceeds(['node', 'index.js']) } })
 *
 * const run = runExperiment({
 *   name: 'add-readme',
 *   dataset: 'dataset',
 *   agent: myAgent,
 *   jury: cascade([
 *     { name: 'rules', jury: rules, policy: 'reject-on-any-fail' },
 *     { name: 'proof', jury: proof, policy: 'final' },
 *   ]),
 *   store: 'results',
 * })
 * const { passRate } = await run.result
 */
export * from '@jurist/core'
export * from '@jurist/core/answers'
export {
  completed,
  copyWorkspaces,
  type Dataset,
  dataset,
  defineExperiment,
  type ExperimentInvocation,
  type ExperimentOptions,
  errored,
  gitWorkspaces,
  type InlineItem,
  type ItemFilter,
  openDataset,
  planExperiment,
  type Reporter,
  runExperiment,
  runSession,
  storedOutputs,
  timedOut,
  trialOf,
} from '@jurist/experiment'
export { calibrate, calibrateJudges, recorded } from '@jurist/experiment/calibrate'
export { compare } from '@jurist/experiment/compare'
export { rejudge } from '@jurist/experiment/rejudge'
export { fileStore, memoryStore } from '@jurist/experiment/store'
export { localWorkspace } from '@jurist/workspace'
export * from '@jurist/workspace/commands'
export * from '@jurist/workspace/files'
export {
  type CascadeWithItems,
  type ConfiguredCalibration,
  type ConfiguredExperiment,
  defineConfig,
  type JuristConfig,
  type LiftStudy,
  type NamedByKey,
  type ScanSettings,
  type Thresholds,
} from './config/config.js'
export { type DescribedJudgesOptions, describedJudges } from './config/described-judges.js'
export type { ModelDescription, ModelPrices } from './config/model-description.js'
export { defineModels } from './config/models.js'
export type { ConfigIssue } from './config/problems.js'
