import type { TrialName } from '../result/trial-figures.js'
import type { LinePart } from '../store/line-parts.js'
import { linePartsOf } from '../store/stored-run.js'
import type { ShardRun } from './shard-problems.js'

/** The lines of one shard, one after the other. */
export interface ShardLines {
  /** Reads on when every line that was read is taken; what `take` returned is overwritten then. `undefined`: there is one. */
  ready(): Promise<void> | undefined
  /** The next line. */
  take(): Buffer
}

/** Changes lines of `items.jsonl` of a shard as their new place asks for. */
export interface LineMover {
  /** Whether any of some lines may change. */
  mayChange(lines: Buffer): boolean
  changed(line: Buffer): Buffer
}

/** Reads the lines of trials of a shard, about `partBytes` at a time. */
export function shardLines(
  shard: ShardRun,
  trials: readonly TrialName[],
  { partBytes, mover }: { readonly partBytes: number; readonly mover: LineMover | undefined },
): ShardLines {
  const parts = linePartsOf(shard, trials, partBytes)
  let part: LinePart = { bytes: Buffer.alloc(0), lines: [] }
  let taken = 0
  let changed: LineMover['changed'] | undefined
  async function readOn(): Promise<void> {
    const { value } = await parts.next()
    part = value
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
