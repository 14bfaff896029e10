import type { ExperimentResult, ItemResult, RunRecord } from '../result/records.js'
import { keyOf } from '../result/trial-figures.js'
import { type MergeOptions, mergePlan } from './merge-plan.js'

/**
 * Makes one run of the shards of a plan, as if one process had run it: its trials in result order, its start that of the first
 * shard, its end that of the last. It has a new id, and `merged` names its shards. It is not stored. The order of the shards
 * does not matter, and one that is given twice counts once. Paths of kept files stay relative to the runs of the shards;
 * `jurist merge` moves the files, too.
 *
 * @throws `merge-mismatch` with every reason why the runs are not the shards of one run; `merge-incomplete` for shards that are
 * missing or unfinished, unless `allowMissing` is set
 *
 * @example
 * import { completed, mergeRuns, runExperiment } from '@jurist/experiment'
 * import { resultOf } from '@jurist/experiment/result'
 *
 * const items = [{ id: 'two', task: 'What is 1 + 1?' }, { id: 'four', task: 'What is 2 + 2?' }]
 * const experiment = { name: 'sums', dataset: items, agent: async () => completed('2') }
 * const shards = await Promise.all(
 *   [1, 2].map((index) => runExperiment(experiment, { shard: { index, count: 2 } }).result),
 * )
 * const { counts } = resultOf(mergeRuns(shards))
 */
export function mergeRuns(shards: readonly ExperimentResult[], options: MergeOptions = {}): RunRecord {
  const { record, order, ...plan } = mergePlan(shards, options)
  const byKey = plan.shards.map((run) => new Map((run as ExperimentResult).items.map((item) => [keyOf(item), item])))
  const items = order.map(({ trial, shard }) => byKey[shard]?.get(keyOf(trial)) as ItemResult)
  return { ...record, items }
}
