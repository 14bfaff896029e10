import { JuristError } from '@jurist/core'
import type { ExperimentResult, ItemResult, RunRecord } from '../result/records.js'
import { type RunResult, trialKey, trialsOf } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import { headOf } from '../store/run-head.js'
import { planDifferences, type ShardRun, type ShardTrials, shardProblems, shardTrials } from './shard-problems.js'

/** How shards are merged. */
export interface MergeOptions {
  /** Whether shards may be missing or unfinished: the merged run is `interrupted` then, and can be resumed. Default `false`. */
  readonly allowMissing?: boolean
}

/** A merged run before its items are read. */
export interface MergePlan {
  readonly record: Omit<RunRecord, 'items'>
  /** The shards by index, each once. */
  readonly shards: readonly ShardRun[]
  /** Its trials in result order. */
  readonly order: ShardTrials['order']
  /** The shards that are missing or unfinished, a line each. */
  readonly missing: readonly string[]
}

/**
 * Checks shards, and plans the run that they make.
 *
 * @throws `merge-mismatch`, `merge-incomplete`
 */
export function mergePlan(runs: readonly RunResult[], { allowMissing = false }: MergeOptions = {}): MergePlan {
  const given = runs.flatMap(shardRun)
  const [first, ...others] = [...new Map(given.map((run) => [run.id, run])).values()].sort(byIndex)
  const noShards = runs.filter(({ shard }) => shard === undefined).map(({ id }) => `run ${id} is not a shard`)
  if (first === undefined) return refuse(noShards)
  const shards = [first, ...others] as const
  const ofPlan = planDifferences(shards)
  // Where the plans differ, every trial would be one of another plan.
  const { order, problems } = ofPlan.length > 0 ? { order: [], problems: [] } : shardTrials(shards)
  const all = [...noShards, ...ofPlan, ...shardProblems(shards, given), ...problems]
  if (all.length > 0) refuse(all)
  const missing = missingLines(first, shards)
  if (missing.length > 0 && !allowMissing) refuseIncomplete(missing)
  const ids = shards.map(({ id }) => id)
  return {
    record: { ...recordOf(first, shards, missing.length > 0), merged: ids },
    shards,
    order,
    missing,
  }
}

function shardRun(run: RunResult): readonly ShardRun[] {
  return run.shard === undefined ? [] : [run as ShardRun]
}

/** Two runs of one index are refused; until then the id decides. */
function byIndex(a: ShardRun, b: ShardRun): number {
  return a.shard.index - b.shard.index || (a.id < b.id ? -1 : 1)
}

function refuse(problems: readonly string[]): never {
  const differences = problems.length > 0 ? problems : ['there is no shard']
  const lines = differences.map((line) => `\n  ${line}`).join('')
  throw new JuristError('merge-mismatch', `The shards cannot be merged:${lines}`, { differences })
}

function refuseIncomplete(missing: readonly string[]): never {
  const lines = missing.map((line) => `\n  ${line}`).join('')
  const remedy = 'Run or resume them, or merge without them: --allow-missing, or "allowMissing" in code.'
  throw new JuristError('merge-incomplete', `Shards are missing or unfinished:${lines}\n${remedy}`, { missing })
}

function missingLines(
  { shard: { count }, experimentName, variant, session }: ShardRun,
  shards: readonly ShardRun[],
): readonly string[] {
  const byIndex = new Map(shards.map((run) => [run.shard.index, run]))
  const ofSession = session === null ? '' : ` (session ${session})`
  const name = `${experimentName}${variant === null ? '' : ` ${variant}`}${ofSession}`
  return Array.from({ length: count }, (_, position) => position + 1).flatMap((index) => {
    const run = byIndex.get(index)
    if (run === undefined) return [`shard ${index}/${count} of ${name} is missing`]
    // Not the counts of its summary, for which all its figures would be summed up.
    const stored = trialsOf(run).length
    if (run.status === 'completed' && stored >= run.shard.trials) return []
    const state = run.status === 'completed' ? 'incomplete' : run.status
    return [`shard ${index}/${count} is ${state}: run ${run.id} has ${stored} of ${run.shard.trials} trials`]
  })
}

/** The record of the whole: that of the first shard, from the start of the earliest to the end of the last. */
function recordOf(first: ShardRun, shards: readonly ShardRun[], isOpen: boolean): Omit<RunRecord, 'items'> {
  const { shard: _, ...head } = headOf(first)
  const starts = shards.map(({ startedAt }) => Date.parse(startedAt))
  const ends = shards.map(({ startedAt, endedAt, durationMs }) =>
    endedAt === null ? Date.parse(startedAt) + durationMs : Date.parse(endedAt),
  )
  const [start, end] = [least(starts), -least(ends.map((at) => -at))]
  const dirtyFiles = [...new Set(shards.flatMap(({ code }) => code.dirtyFiles))].sort()
  return {
    ...head,
    id: newRunId(),
    status: isOpen ? 'interrupted' : 'completed',
    stopReason: null,
    startedAt: new Date(start).toISOString(),
    endedAt: new Date(end).toISOString(),
    durationMs: end - start,
    code: { ...first.code, dirty: shards.some(({ code }) => code.dirty), dirtyFiles },
  }
}

/** `Math.min` of more numbers than a call can have. */
function least(numbers: readonly number[]): number {
  return numbers.reduce((found, number) => Math.min(found, number))
}

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
  const byKey = plan.shards.map((run) => new Map((run as ExperimentResult).items.map((item) => [trialKey(item), item])))
  const items = order.map(({ trial, shard }) => byKey[shard]?.get(trialKey(trial)) as ItemResult)
  return { ...record, items }
}
