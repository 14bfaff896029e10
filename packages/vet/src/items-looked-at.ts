import { type AgentTask, JuristError, type Workspace } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { type ExperimentOptions, errored, runExperiment, trialOf } from '@jurist/experiment'
import { derivedExperiment } from './derived-experiment.js'
import type { References } from './reference-agent.js'

/** The workspaces of items that are looked at. */
export interface LookedAt {
  readonly experiment: ExperimentOptions
  readonly dataset: ExperimentOptions['dataset']
  readonly references: References
  readonly signal: AbortSignal | undefined
}

/** What is seen of an item: its workspace as agents get it, and its reference. */
export interface LookedAtItem {
  readonly itemId: string
  readonly task: AgentTask
  readonly reference: Workspace | null
}

/**
 * Looks into the workspace of each selected item; nothing is judged or stored. An item whose workspace cannot be made is not
 * looked at.
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
      // An agent that did not complete is not judged.
      return errored(new Error('The item was only looked at.'))
    },
  })
  const { jury, store, hooks, budget, ...rest } = options
  const looking = beforeAgent === undefined ? rest : { ...rest, hooks: { beforeAgent } }
  await runExperiment(looking, signal === undefined ? {} : { signal }).overview
}

/**
 * Refuses to begin where looking was stopped: what is to run is not known for all items.
 *
 * @throws `aborted`
 */
export function refuseStopped(what: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return
  const { message: reason } = failureOf(signal.reason)
  throw new JuristError('aborted', `${what} did not begin: ${reason}. None of them is stored; start again.`, { reason })
}
