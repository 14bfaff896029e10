import { type AgentTask, JuristError, type Workspace } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import {
  type Dataset,
  defineExperiment,
  type Experiment,
  type ExperimentOptions,
  errored,
  runExperiment,
  trialOf,
} from '@jurist/experiment'
import { openedDataset } from '@jurist/experiment/internal'
import type { References } from './reference-agent.js'

/** The parts that replace the experiment's own. */
type DerivedParts = Required<Pick<ExperimentOptions, 'agent'>> &
  Pick<ExperimentOptions, 'dataset' | 'jury' | 'provision' | 'conditions' | 'metadata' | 'describedJudges'>

/**
 * Derives an experiment with the same tasks, workspaces and juries but another agent. Everything that judges see is
 * kept. Settings for the agent under test and its measurement are left out: variants, models, system prompts,
 * variables, repetitions, efficiency, baselines and the demand for a clean project. There are many workspaces, so they
 * are kept only if the experiment asks for it.
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
 * Opens the dataset of an experiment after checking all of its options, because some of them would be dropped unchecked
 * when experiments are derived from it.
 *
 * @throws `experiment-invalid`, `dataset-invalid`
 */
export function checkedDataset(experiment: ExperimentOptions | Experiment): Promise<Dataset> {
  defineExperiment(experiment as ExperimentOptions)
  return openedDataset(experiment)
}

interface LookedAt {
  readonly experiment: ExperimentOptions
  readonly dataset: ExperimentOptions['dataset']
  readonly references: References
  readonly signal: AbortSignal | undefined
}

/** An item with its workspace as agents receive it, and its reference. */
interface LookedAtItem {
  readonly itemId: string
  readonly task: AgentTask
  readonly reference: Workspace | null
}

/**
 * Opens the workspace of each selected item for inspection. Nothing is judged or stored. An item whose workspace cannot
 * be created is skipped.
 */
export async function lookAtItems(
  { experiment, dataset, references, signal }: LookedAt,
  look: (item: LookedAtItem) => Promise<void>,
): Promise<void> {
  const { beforeAgent } = experiment.hooks ?? {}
  const options = derivedExperiment(experiment, {
    dataset,
    provision: references.provision,
    async agent(task) {
      const { itemId = '', repetition = 1 } = trialOf(task) ?? {}
      await look({ itemId, task, reference: references.of(itemId, repetition) })
      // Trials whose agent did not complete are not judged.
      return errored(new Error('The item was only looked at.'))
    },
  })
  const { jury, store, hooks, budget, ...rest } = options
  const looking = beforeAgent === undefined ? rest : { ...rest, hooks: { beforeAgent } }
  await runExperiment(looking, { signal }).overview
}

/**
 * Refuses to start if the inspection was aborted, since the plan is not known for all items.
 *
 * @throws `aborted`
 */
export function refuseStopped(what: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  const { message: reason } = failureOf(signal.reason)
  throw new JuristError('aborted', `${what} did not begin: ${reason}. None of them is stored; start again.`, { reason })
}
