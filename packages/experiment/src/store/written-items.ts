import type { ItemResult } from '../result/records.js'
import { diskFailure } from './disk-failure.js'
import { parseJsonLines, readJsonLinesSync } from './json-lines.js'
import { itemReading, type RunPaths } from './run-directory.js'

/** The trials that a writer has stored, to be read when somebody asks for the items of its result. */
export interface WrittenItems {
  /** Takes note of whole lines that are on the disk; the bytes are copied. */
  keep(bytes: Buffer): void
  /**
   * Every trial, in the order of the file.
   *
   * @throws `store-failed`, for a long run whose file is not there any more
   */
  read(): readonly ItemResult[]
}

/** Of a run up to this size the text is kept, outside of the heap. */
const keptBytes = 32 * 1024 * 1024

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
  let kept = size > keptBytes ? null : { earlier, parts: [] as Buffer[] }
  return {
    keep(bytes) {
      size += bytes.length
      if (size > keptBytes) kept = null
      kept?.parts.push(Buffer.from(bytes))
    },
    read() {
      const reading = itemReading(paths)
      if (kept !== null) return [...kept.earlier, ...parseJsonLines(kept.parts, reading)]
      try {
        return readJsonLinesSync(paths.items, size, reading)
      } catch (thrown) {
        throw diskFailure('read', paths.items, thrown)
      }
    },
  }
}
