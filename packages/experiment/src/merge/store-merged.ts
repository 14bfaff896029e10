import { figuresOf } from '../result/item-figures.js'
import type { RunOverview, Trial, TrialFigures, TrialName } from '../result/trial-figures.js'
import type { LinePlace } from '../store/json-lines.js'
import { headOf } from '../store/run-head.js'
import { saveLines } from '../store/save-run.js'
import { indexedOverview, linesOf } from '../store/stored-run.js'
import type { MergePlan } from './merge-plan.js'
import type { ShardRun } from './shard-problems.js'

/** How a merged run is stored. */
export interface StoredMerge {
  /** Changes a line of `items.jsonl` as its new place asks for. */
  readonly moved?: (line: Buffer, shard: ShardRun) => Buffer
  /** Puts what shards kept into the directory of the run. */
  readonly keep?: (directory: string) => Promise<void>
}

/**
 * Stores the run that overviews of shards make in a results directory, at one moment. Its trials are copied some hundreds at a
 * time, in result order, so that the bytes of `items.jsonl` depend on the shards only. Returns its overview, which is not read
 * from the files again.
 *
 * @throws `store-failed`; then there is no run
 */
export async function storeMerged(plan: MergePlan, directory: string, merge: StoredMerge = {}): Promise<RunOverview> {
  const { record, order } = plan
  const { moved = (line) => line, keep } = merge
  const head = headOf(record)
  const trials = order.map(({ trial }) => figuresIn(trial))
  let lengths: readonly number[] = []
  async function* lines(): AsyncGenerator<readonly Buffer[]> {
    const written: number[] = []
    for await (const part of mergedLines(plan, moved)) {
      for (const { length } of part) written.push(length)
      yield part
    }
    lengths = written
  }
  const paths = await saveLines(directory, { head, trials, lines, ...(keep === undefined ? {} : { keep }) })
  return await indexedOverview(paths, head, { trials, places: placesOf(lengths) }, (message) =>
    process.emitWarning(message),
  )
}

function figuresIn(trial: Trial): TrialFigures {
  return 'verdict' in trial ? figuresOf(trial) : trial
}

/** The places of lines that follow each other. */
function placesOf(lengths: readonly number[]): readonly LinePlace[] {
  let offset = 0
  return lengths.map((length) => {
    const place = { offset, length }
    offset += length + 1
    return place
  })
}

/** How many trials are in memory at a time. Larger parts take as long and need more memory: 325 MB for 100,000 trials by 4,000. */
const atOnce = 500

async function* mergedLines(
  { shards, order }: MergePlan,
  moved: NonNullable<StoredMerge['moved']>,
): AsyncGenerator<readonly Buffer[]> {
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
    yield part.flatMap(({ shard }) => read[shard]?.next().value ?? [])
  }
}
