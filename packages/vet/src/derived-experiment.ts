import { type Dataset, defineExperiment, type Experiment, type ExperimentOptions } from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'

/** What takes the places of an experiment's own parts. */
type DerivedParts = Required<Pick<ExperimentOptions, 'agent'>> &
  Pick<ExperimentOptions, 'dataset' | 'jury' | 'provision' | 'conditions' | 'metadata' | 'describedJudges'>

/**
 * The same tasks, workspaces and juries with another agent: everything that judges see is kept. What belongs to the agent under
 * test and to its measurement is left out: variants, models, prompts of the system, variables, repetitions, efficiency,
 * baselines and the demand for a clean project. Workspaces are kept only where the experiment says so itself: there are many.
 *
 * @example
 * const idle = derivedExperiment(experiment, { dataset: experiment.dataset, agent: async () => completed() })
 */
export function derivedExperiment(
  experiment: ExperimentOptions | Experiment,
  { agent, ...parts }: DerivedParts,
): ExperimentOptions {
  const { variants, matrix, model, systemPrompt, environment, repetitions, bail, retries, ...rest } =
    experiment as ExperimentOptions & Partial<Pick<Experiment, 'kind'>>
  const { kind, efficiency, baseline, requireCleanGit, judgeFailedRuns, vet, ...kept } = rest
  return { preserveWorkspaces: 'none', ...kept, ...parts, agent }
}

/**
 * The dataset of an experiment whose options are right. What is vetted is derived from the experiment, without some of its
 * options: they would not be checked otherwise.
 *
 * @throws `experiment-invalid`, `dataset-invalid`
 */
export function checkedDataset(experiment: ExperimentOptions | Experiment): Promise<Dataset> {
  defineExperiment(experiment as ExperimentOptions)
  return openedDataset(experiment)
}
