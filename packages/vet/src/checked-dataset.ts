import { type Dataset, defineExperiment, type Experiment, type ExperimentOptions } from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'

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
