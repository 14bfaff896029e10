import type { Json } from '@jurist/core'
import { canonicalJson } from '../dataset/hash.js'
import type { RunShard } from '../result/records.js'
import { type RunResult, type Trial, type TrialName, trialsOf, trialText } from '../result/trial-figures.js'
import { shardOfEach, shardText } from '../run/trials.js'
import { plannedTrials } from '../store/run-head.js'

/** A run of a part of the trials. */
export type ShardRun = RunResult & { readonly shard: RunShard }

/** In what the plans and conditions of runs differ, a sentence each. */
export function planDifferences([first, ...others]: readonly ShardRun[]): readonly string[] {
  return first === undefined ? [] : others.flatMap((run) => differences(first, run))
}

/**
 * Why runs of one plan cannot be merged, a sentence each.
 *
 * @param shards by index, each run once
 * @param given the same, in which a run may occur several times
 */
export function shardProblems(shards: readonly ShardRun[], given: readonly ShardRun[]): readonly string[] {
  return [
    ...differentCopies(given),
    ...sameIndex(shards),
    ...shards.filter(({ status }) => status === 'running').map(({ id }) => `run ${id} is still running`),
  ]
}

/** What must be equal, by the name that messages give it. */
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
export interface ShardTrials {
  /** In the order of the dataset, whatever the order of the shards. */
  readonly order: readonly MergedTrial[]
  /** Trials that do not belong to their shard, and those that two shards have, a sentence each. */
  readonly problems: readonly string[]
}

/** The trials of shards of one plan. There may be 100,000: what is needed of each is in an array, by its place in the plan. */
export function shardTrials(shards: readonly [ShardRun, ...ShardRun[]]): ShardTrials {
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
