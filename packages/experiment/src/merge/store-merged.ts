import { figuresOf } from '../result/item-figures.js'
import type { RunOverview, Trial, TrialFigures, TrialName } from '../result/trial-figures.js'
import { type SavedLines, saveLines } from '../store/file-save.js'
import type { LinePlace } from '../store/json-lines.js'
import type { LinePart } from '../store/line-parts.js'
import { headOf } from '../store/run-head.js'
import { indexedOverview, linePartsOf } from '../store/stored-run.js'
import type { MergePlan } from './merge-plan.js'
import type { ShardRun } from './shard-problems.js'

/** How a merged run is stored. */
interface StoredMerge {
  /** What changes the lines of a shard; `undefined`: they stay. */
  readonly moverOf?: (shard: ShardRun) => LineMover | undefined
  /** Puts what shards kept into the directory of the run. */
  readonly keep?: (directory: string) => Promise<void>
}

/**
 * Stores the run that overviews of shards make in a results directory, at one moment. Its trials are copied part by part, in
 * result order, so that the bytes of `items.jsonl` depend on the shards only. Returns its overview, which is not read from the
 * files again.
 *
 * @throws `store-failed`; then there is no run
 */
export async function storeMerged(plan: MergePlan, directory: string, merge: StoredMerge = {}): Promise<RunOverview> {
  const { record, order } = plan
  const { moverOf = () => undefined, keep } = merge
  const head = headOf(record)
  const trials = order.map(({ trial }) => figuresIn(trial))
  let places: readonly LinePlace[] = []
  async function* lines(): AsyncGenerator<SavedLines> {
    const written: LinePlace[] = []
    let offset = 0
    for await (const part of mergedLines(plan, moverOf)) {
      for (const length of part.lengths) {
        written.push({ offset, length })
        offset += length + 1
      }
      yield part
    }
    places = written
  }
  const paths = await saveLines(directory, { head, trials, lines, keep })
  return await indexedOverview(paths, head, { trials, places }, (message) => process.emitWarning(message))
}

function figuresIn(trial: Trial): TrialFigures {
  return 'verdict' in trial ? figuresOf(trial) : trial
}

/** How much is written at a time. */
const writtenBytes = 1024 * 1024

/** How much of all shards is in memory, and of one of them at least: opening a file again takes as long as reading some 20 lines. */
const [readBytes, leastBytes] = [16 * 1024 * 1024, 32 * 1024]

/** The lines in result order. The neighbours of a trial are in other shards, so each line is copied once. */
async function* mergedLines(
  { shards, order }: MergePlan,
  moverOf: NonNullable<StoredMerge['moverOf']>,
): AsyncGenerator<SavedLines> {
  const own = shards.map((): TrialName[] => [])
  for (const { trial, shard } of order) own[shard]?.push(trial)
  const partBytes = Math.max(leastBytes, Math.floor(readBytes / shards.length))
  const sources = shards.map((shard, index) =>
    shardLines(shard, own[index] ?? [], { partBytes, mover: moverOf(shard) }),
  )
  await Promise.all(sources.map((source) => source.ready()))
  let bytes = Buffer.allocUnsafe(writtenBytes)
  let [used, lengths]: [number, number[]] = [0, []]
  for (const { shard } of order) {
    const source = sources[shard]
    if (source === undefined) continue
    const reading = source.ready()
    if (reading !== undefined) await reading
    const line = source.take()
    if (used + line.length >= bytes.length) {
      if (used > 0) yield { bytes: bytes.subarray(0, used), lengths }
      ;[used, lengths] = [0, []]
      if (line.length >= bytes.length) bytes = Buffer.allocUnsafe(line.length + 1)
    }
    used += line.copy(bytes, used)
    bytes[used++] = lineFeed
    lengths.push(line.length)
  }
  if (used > 0) yield { bytes: bytes.subarray(0, used), lengths }
}

const lineFeed = 0x0a

/** The lines of one shard, one after the other. */
interface ShardLines {
  /** Reads on when every line that was read is taken; what `take` returned is overwritten then. `undefined`: there is one. */
  ready(): Promise<void> | undefined
  /** The next line. */
  take(): Buffer
}

/** Changes lines of `items.jsonl` of a shard as their new place asks for. */
interface LineMover {
  /** Whether any of some lines may change. */
  mayChange(lines: Buffer): boolean
  changed(line: Buffer): Buffer
}

/** A shard may have no trial. */
const nothing: LinePart = { bytes: Buffer.alloc(0), lines: [] }

/** Reads the lines of trials of a shard, about `partBytes` at a time. */
function shardLines(
  shard: ShardRun,
  trials: readonly TrialName[],
  { partBytes, mover }: { readonly partBytes: number; readonly mover: LineMover | undefined },
): ShardLines {
  const parts = linePartsOf(shard, trials, partBytes)
  let part = nothing
  let taken = 0
  let changed: LineMover['changed'] | undefined
  async function readOn(): Promise<void> {
    const { value, done } = await parts.next()
    part = done === true ? nothing : value
    changed = mover?.mayChange(part.bytes) === true ? mover.changed : undefined
    taken = 0
  }
  return {
    ready: () => (taken < part.lines.length ? undefined : readOn()),
    take() {
      const { offset = 0, length = 0 } = part.lines[taken] ?? {}
      taken += 1
      const line = part.bytes.subarray(offset, offset + length)
      return changed?.(line) ?? line
    },
  }
}
