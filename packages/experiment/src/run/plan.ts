import type { JsonObject } from '@jurist/core'
import { totalCost } from '@jurist/core/internal'
import type { DatasetProblem } from '../dataset/problem.js'
import { overviewOf, summarize, trialsToRun } from '../result/summarize.js'
import { type RunOverview, trialKey } from '../result/trial-figures.js'
import type { ResultStore } from '../store/store.js'
import { manifestOf, type Prepared, prepare, readSelected, select, storeOf } from './check-run.js'
import { withMatrix } from './define-experiment.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import type { RunPlace } from './open-run.js'
import type { RunExperimentOptions } from './run-options.js'
import { conditionsOf } from './settings.js'
import { type ShardOptions, shardKeys, shardOf, trialsOf } from './trials.js'

/**
 * The plan of a run: its prompts, the problems of its items, its conditions, and its expected cost and time, estimated from the
 * latest run of the same name, variant and kind. Nothing runs and nothing is stored. When items are broken there are problems and no
 * trials.
 *
 * @throws `experiment-invalid`, `git-dirty`, `dataset-invalid` when the dataset cannot even be opened
 *
 * @example
 * import { completed, defineExperiment, planExperiment } from '@jurist/experiment'
 *
 * const experiment = defineExperiment({
 *   name: 'sums',
 *   dataset: [{ id: 'two', task: 'What is 1 + 1?' }],
 *   agent: async () => completed('2'),
 * })
 * const { trials, estimatedCostUsd, problems } = await planExperiment(experiment)
 */
export async function planExperiment<Variant extends string = never>(
  experiment: ExperimentOptions<Variant> | Experiment<Variant>,
  options: RunExperimentOptions<NoInfer<Variant>> = {},
): Promise<Plan> {
  const whole = withMatrix<ExperimentOptions>(experiment)
  const prepared = await prepare(whole, options)
  const planned = await plannedItems(prepared, options.shard)
  const { store, close } = storeOf(experiment)
  try {
    const earlier = await latestRun(store, prepared.settings, options.kind)
    const mean = earlier === undefined ? null : meanCost(earlier)
    const trials = planned.items.length
    return {
      ...planned,
      trials,
      estimatedCostUsd: mean === null ? null : mean * trials,
      estimatedMs: earlier === undefined ? null : (earlier.durationMs / earlier.trials.length) * trials,
      estimateFrom: earlier?.id ?? null,
    }
  } finally {
    await close()
  }
}

async function plannedItems(
  prepared: Prepared,
  shard: ShardOptions | undefined,
): Promise<Pick<Plan, 'items' | 'problems' | 'conditions'>> {
  const { settings, knowledge, isolation, provision } = prepared
  const { network = null } = provision
  const { problems, selected } = await readSelected(prepared)
  const jury = selected?.juries.description ?? null
  const facts = { jury, knowledge: knowledge?.manifest ?? null, isolation, network }
  const datasetHash = selected?.version.hash ?? null
  const conditions = conditionsOf(settings, { ...facts, datasetHash })
  if (selected === null || problems.some(({ severity }) => severity === 'error'))
    return { items: [], problems, conditions }
  const all = Array.from(trialsOf(selected.items, settings), ({ itemId, repetition, prompt }) => ({
    itemId,
    repetition,
    prompt,
  }))
  const keys = shard === undefined ? null : shardKeys(all, shard)
  const trials = keys === null ? all : all.filter((trial) => keys.has(trialKey(trial)))
  return { items: trials, problems, conditions }
}

async function latestRun(
  store: ResultStore,
  { name, variant }: Prepared['settings'],
  kind: RunExperimentOptions['kind'] = 'agent',
): Promise<RunOverview | undefined> {
  for await (const entry of store.list({ experimentName: name, kind }))
    if (entry.variant === variant && entry.counts.run > 0) return store.overview(entry.id)
  return undefined
}

/** The mean cost of a trial in US dollars, agent and jury, over the trials that declare one; `null` if none does. */
function meanCost({ trials }: RunOverview): number | null {
  const costs = trials.flatMap((trial) => totalCost([trial.costUsd, trial.judgeCostUsd]) ?? [])
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0) / costs.length
}

/** The plan of a run that has not started. */
export interface Plan {
  readonly items: readonly { readonly itemId: string; readonly repetition: number; readonly prompt: string }[]
  readonly trials: number
  readonly problems: readonly DatasetProblem[]
  readonly conditions: JsonObject
  /** US dollars: the mean cost of a trial of the latest run of the same name, variant and kind, times the trials. */
  readonly estimatedCostUsd: number | null
  /** Milliseconds, at the pace of that run. */
  readonly estimatedMs: number | null
  /** The id of that run. */
  readonly estimateFrom: string | null
}

/** The result of a dry run: everything was checked, no trial ran, nothing is stored. */
export async function dryResult(
  prepared: Prepared,
  options: RunExperimentOptions,
  { run, tell }: Pick<RunPlace, 'run' | 'tell'>,
): Promise<RunOverview> {
  const { session = null, kind = 'agent', shard } = options
  const { itemOrder, ...whole } = await manifestOf(await select(prepared), { id: run.id, session, kind })
  const part = shard === undefined ? {} : { shard: shardOf({ ...whole, itemOrder }, shard).record }
  const manifest = { ...whole, ...part }
  const { experimentName, variant, startedAt } = manifest
  const planned = trialsToRun(manifest, 0)
  tell({ type: 'experiment-start', experimentName, kind, variant, trials: planned, resumed: 0 })
  tell({ type: 'experiment-end', status: 'stopped', summary: summarize({ items: [], planned }) })
  const ended = { status: 'stopped', stopReason: null, endedAt: startedAt, durationMs: 0 } as const
  return overviewOf({ ...manifest, ...ended, trials: [], readItems: async () => [] })
}
