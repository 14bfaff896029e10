import { figuresOf } from '../result/item-figures.js'
import type { Trial, TrialFigures, TrialName } from '../result/trial-figures.js'
import { headOf } from '../store/run-head.js'
import { saveLines } from '../store/save-run.js'
import { linesOf } from '../store/stored-run.js'
import type { MergePlan } from './merge-plan.js'
import type { ShardRun } from './shard-problems.js'

/** How a merged run is stored. */
export interface StoredMerge {
  /** Changes a line of `items.jsonl` as its new place asks for. */
  readonly moved?: (line: string, shard: ShardRun) => string
  /** Puts what shards kept into the directory of the run. */
  readonly keep?: (directory: string) => Promise<void>
}

/**
 * Stores the run that overviews of shards make in a results directory, at one moment. Its trials are copied some thousands at a
 * time, in result order, so that the bytes of `items.jsonl` depend on the shards only.
 *
 * @throws `store-failed`; then there is no run
 */
export async function storeMerged(plan: MergePlan, directory: string, merge: StoredMerge = {}): Promise<void> {
  const { record, order } = plan
  const { moved = (line) => line, keep } = merge
  const trials = order.map(({ trial }) => figuresIn(trial))
  const lines = () => mergedLines(plan, moved)
  await saveLines(directory, { head: headOf(record), trials, lines, ...(keep === undefined ? {} : { keep }) })
}

function figuresIn(trial: Trial): TrialFigures {
  return 'verdict' in trial ? figuresOf(trial) : trial
}

/** How many trials are in memory at a time. */
const atOnce = 4_000

async function* mergedLines(
  { shards, order }: MergePlan,
  moved: NonNullable<StoredMerge['moved']>,
): AsyncGenerator<readonly string[]> {
  for (let start = 0; start < order.length; start += atOnce) {
    const part = order.slice(start, start + atOnce)
    const wanted = shards.map((): TrialName[] => [])
    for (const { trial, shard } of part) wanted[shard]?.push(trial)
    const read = await Promise.all(
      shards.map(async (shard, index) => {
        const lines = await linesOf(shard, wanted[index] ?? [])
        return lines.map((line) => moved(line, shard)).values()
      }),
    )
    yield part.map(({ shard }) => String(read[shard]?.next().value))
  }
}
