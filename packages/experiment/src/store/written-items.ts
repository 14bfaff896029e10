import type { ItemResult } from '../result/records.js'
import { diskFailure } from './disk.js'
import { parseJsonLines, readJsonLinesSync } from './json-lines.js'
import type { RunPaths } from './run-directory.js'
import { type Judged, soundTrials } from './sound-trials.js'

/** The trials that a writer has stored, to be read when somebody asks for the items of its result. */
export interface WrittenItems {
  /** Takes note of whole lines that are on the disk; the bytes are copied. */
  keep(bytes: Buffer): void
  /**
   * Every trial, in the order of the file, as far as it belongs to the run.
   *
   * @throws `store-failed`, for a long run whose file is not there any more
   */
  read(head: Judged): readonly ItemResult[]
}

/** Of a run up to this size the text is kept, outside of the heap. */
const keptBytes = 32 * 1024 * 1024
const partBytes = 1024 * 1024

/** Copies of bytes, none of which is torn. A buffer for each would cost more than the copying. */
function copies(): { add(bytes: Buffer): void; all(): readonly Buffer[] } {
  const full: Buffer[] = []
  let filling = Buffer.alloc(0)
  let used = 0
  return {
    add(bytes) {
      if (used + bytes.length > filling.length) {
        full.push(filling.subarray(0, used))
        filling = Buffer.allocUnsafeSlow(Math.max(partBytes, bytes.length))
        used = 0
      }
      used += bytes.copy(filling, used)
    },
    all: () => [...full, filling.subarray(0, used)].filter(({ length }) => length > 0),
  }
}

/**
 * The text of a short run is kept, that of a long one is on the disk and read again: the memory of a run does not grow with
 * its trials.
 *
 * @param earlier trials that were stored before, and `earlierBytes` the size of their text
 */
export function writtenItems(
  paths: Pick<RunPaths, 'items'>,
  earlier: readonly ItemResult[],
  earlierBytes: number,
): WrittenItems {
  let size = earlierBytes
  let kept = size > keptBytes ? null : { earlier, parts: copies() }
  return {
    keep(bytes) {
      size += bytes.length
      if (size > keptBytes) kept = null
      kept?.parts.add(bytes)
    },
    read(head) {
      const { reading } = soundTrials(paths.items, head)
      if (kept !== null) return [...kept.earlier, ...parseJsonLines(kept.parts.all(), reading)]
      try {
        return readJsonLinesSync(paths.items, size, reading)
      } catch (thrown) {
        throw diskFailure('read', paths.items, thrown)
      }
    },
  }
}
