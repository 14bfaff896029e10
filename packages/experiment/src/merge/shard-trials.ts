import { type Trial, type TrialName, trialsOf } from '../result/trial-figures.js'
import { shardOfEach, shardText } from '../run/trials.js'
import { plannedTrials } from '../store/planned-repetitions.js'
import type { ShardRun } from './shard-problems.js'

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
        problems.push(`${nameOf(trial)} of run ${run.id} does not belong to ${shardText(run.shard)}`)
      else if (earlier !== undefined)
        problems.push(`${nameOf(trial)} is in run ${shards[earlier.shard]?.id} and in run ${run.id}`)
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

function nameOf({ itemId, repetition }: TrialName): string {
  return `${itemId}#${repetition}`
}
