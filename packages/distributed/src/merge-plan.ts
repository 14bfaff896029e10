import { type Json, JuristError } from '@jurist/core'
import { canonicalJson, headOf, plannedTrials, shardOfEach, shardText } from '@jurist/experiment/internal'
import { newRunId, type TrialName, trialKey, trialsOf, trialText } from '@jurist/experiment/internal/results'
import type { ExperimentResult, ItemResult, RunRecord, RunResult, RunShard, Trial } from '@jurist/experiment/result'

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
 * `jurist store merge` moves the files, too.
 *
 * @throws `merge-mismatch` with every reason why the runs are not the shards of one run; `merge-incomplete` for shards that are
 * missing or unfinished, unless `allowMissing` is set
 *
 * @example
 * import { mergeRuns } from '@jurist/distributed'
 * import { completed, runExperiment } from '@jurist/experiment'
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

/** A run of a part of the trials. */
export type ShardRun = RunResult & { readonly shard: RunShard }

/** In what the plans and conditions of runs differ, a sentence each. */
function planDifferences([first, ...others]: readonly ShardRun[]): readonly string[] {
  return first === undefined ? [] : others.flatMap((run) => differences(first, run))
}

/**
 * Why runs of one plan cannot be merged, a sentence each.
 *
 * @param shards by index, each run once
 * @param given the same, in which a run may occur several times
 */
function shardProblems(shards: readonly ShardRun[], given: readonly ShardRun[]): readonly string[] {
  return [
    ...differentCopies(given),
    ...sameIndex(shards),
    ...shards.filter(({ status }) => status === 'running').map(({ id }) => `run ${id} is still running`),
  ]
}

/** The facts that must be equal in all shards, by their names in messages. */
function compared(run: ShardRun): Readonly<Record<string, Json>> {
  const { experimentName, kind, variant, session, dataset, planned, configuration, code, shard, conditions } = run
  const { dataset: _, ...ofConditions } = conditions
  return {
    'the experiment': experimentName,
    'the kind': kind,
    'the variant': variant,
    'the session': session,
    'the plan (dataset.hash)': dataset.hash,
    'the number of trials': planned,
    repetitions: [configuration['repetitions'] ?? null, configuration['itemRepetitions'] ?? null],
    'the commit': code.gitCommit,
    'the number of shards': shard.count,
    'how trials are dealt': shard.by,
    'the durations': shard.durations,
    ...ofConditions,
  }
}

function differences(first: ShardRun, other: ShardRun): readonly string[] {
  const [before, after] = [compared(first), compared(other)]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const [a, b] = [before[name] ?? null, after[name] ?? null]
    return canonicalJson(a) === canonicalJson(b)
      ? []
      : [`run ${first.id} and run ${other.id} differ in ${name}: ${short(a)} and ${short(b)}`]
  })
}

const maxLength = 80

function short(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** The same run may be given twice, as a directory and as a bundle, if nothing in it differs. */
function differentCopies(given: readonly ShardRun[]): readonly string[] {
  const known = new Map<string, ShardRun>()
  const problems: string[] = []
  for (const run of given) {
    const earlier = known.get(run.id)
    if (earlier === undefined) known.set(run.id, run)
    else if (textOf(earlier) !== textOf(run)) problems.push(`run ${run.id} is given twice, and the two are not equal`)
  }
  return problems
}

function textOf(run: ShardRun): string {
  // The figures of trials have other orders of keys when they come from an index.
  return canonicalJson(JSON.parse(JSON.stringify([run.status, run.endedAt, trialsOf(run)])))
}

function sameIndex(shards: readonly ShardRun[]): readonly string[] {
  return shards.slice(1).flatMap((run, position) => {
    const before = shards[position]
    return before?.shard.index === run.shard.index
      ? [`run ${before.id} and run ${run.id} are both ${shardText(run.shard)}: exclude or remove one`]
      : []
  })
}

/** A trial of a merged run. */
interface MergedTrial {
  readonly trial: Trial
  /** The place of its shard in the array of shards. */
  readonly shard: number
}

/** The stored trials of shards. */
interface ShardTrials {
  /** In the order of the dataset, whatever the order of the shards. */
  readonly order: readonly MergedTrial[]
  /** Trials that do not belong to their shard, and those that two shards have, a sentence each. */
  readonly problems: readonly string[]
}

/** The trials of shards of one plan. There may be 100,000: what is needed of each is in an array, by its place in the plan. */
function shardTrials(shards: readonly [ShardRun, ...ShardRun[]]): ShardTrials {
  const planned = plannedTrials(shards[0])
  const { count, by } = shards[0].shard
  const homes = by === 'order' ? shardOfEach(planned, count) : undefined
  const placeOf = placesOf(planned)
  const stored: (MergedTrial | undefined)[] = planned.map(() => undefined)
  const problems: string[] = []
  for (const [position, run] of shards.entries()) {
    for (const trial of trialsOf(run)) {
      const place = placeOf(trial)
      const earlier = stored[place]
      if (place < 0 || (homes !== undefined && homes[place] !== run.shard.index))
        problems.push(`${trialText(trial)} of run ${run.id} does not belong to ${shardText(run.shard)}`)
      else if (earlier !== undefined)
        problems.push(`${trialText(trial)} is in run ${shards[earlier.shard]?.id} and in run ${run.id}`)
      else stored[place] = { trial, shard: position }
    }
    const { trials } = run.shard
    if (trialsOf(run).length > trials) problems.push(`run ${run.id} has more than the ${trials} trials of its shard`)
  }
  return { order: stored.filter((trial) => trial !== undefined), problems }
}

/** Finds the place of a trial in a plan; -1: it is not planned. The repetitions of an item follow each other in it. */
function placesOf(planned: readonly TrialName[]): (trial: TrialName) => number {
  const firstOf = new Map<string, number>()
  for (const [place, { itemId, repetition }] of planned.entries()) if (repetition === 1) firstOf.set(itemId, place)
  return ({ itemId, repetition }) => {
    const place = (firstOf.get(itemId) ?? -1) + repetition - 1
    const found = planned[place]
    return found?.itemId === itemId && found.repetition === repetition ? place : -1
  }
}
