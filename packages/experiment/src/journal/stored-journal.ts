import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { parseOrUndefined } from '@jurist/kit/json'
import { containedPath, openRegularFile } from '@jurist/kit/regular-file'
import type { ItemResult } from '../result/records.js'
import type { RunResult } from '../result/trial-figures.js'
import { isJournalHeader } from './journal-events.js'

/** A journal of any size, of which only the requested records are in memory. */
export interface StoredJournal {
  /** The number of records. */
  readonly total: number
  /** The beginning of the first record; '' without one. It contains the time, so it differs between attempts of a trial. */
  readonly start: string
  /**
   * Reads records from the index `from`: at most `most`, and at most 8 MB unless one record alone is larger. `null` for
   * a damaged record, and for one above 16 MB.
   */
  readonly read: (from: number, most: number) => Promise<readonly unknown[]>
}

/** The bytes of a record in its file. */
interface Place {
  readonly at: number
  readonly end: number
}

const partBytes: number = 8 * 1024 * 1024
const maxRecordBytes: number = 16 * 1024 * 1024
const startBytes = 200

/** Finds the journal of a trial below the directory of results; `undefined` if none was kept. A link is not followed. */
export async function journalFile(
  directory: string | undefined,
  run: RunResult,
  { journalPath }: Pick<ItemResult, 'journalPath'>,
): Promise<string | undefined> {
  if (directory === undefined || journalPath === null) return undefined
  return containedPath([directory], join(directory, run.experimentName, run.id), journalPath)
}

/**
 * Finds the records of a journal.
 *
 * @param isRunning whether a last line without a line break is still being written, and is no record yet
 */
export async function openJournal(file: string, isRunning: boolean): Promise<StoredJournal> {
  const handle = await openRegularFile(file)
  try {
    const lines = await linesOf(handle, isRunning)
    const [header] = await recordsAt(handle, lines.slice(0, 1))
    const places = isJournalHeader(header) ? lines.slice(1) : lines
    const [first = { at: 0, end: 0 }] = places
    const start = await bytesAt(handle, first.at, Math.min(first.end, first.at + startBytes))
    return {
      total: places.length,
      start: start.toString('utf8'),
      async read(from, most) {
        const wanted = places.slice(from, from + most)
        const fitting = wanted.filter(({ end }) => end - (wanted[0]?.at ?? 0) <= partBytes)
        const again = await openRegularFile(file)
        try {
          return await recordsAt(again, fitting.length === 0 ? wanted.slice(0, 1) : fitting)
        } finally {
          await again.close()
        }
      },
    }
  } finally {
    await handle.close()
  }
}

/** Finds the lines of a file that are not blank. */
async function linesOf(handle: FileHandle, isRunning: boolean): Promise<readonly Place[]> {
  const lines: Place[] = []
  const chunk = Buffer.alloc(1024 * 1024)
  let [at, offset, isBlank] = [0, 0, true]
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset)
    if (bytesRead === 0) break
    for (let from = 0; from < bytesRead; ) {
      const found = chunk.subarray(0, bytesRead).indexOf('\n', from)
      const to = found < 0 ? bytesRead : found
      isBlank &&= chunk.subarray(from, to).every((byte) => byte <= 0x20)
      if (found >= 0) {
        if (!isBlank) lines.push({ at, end: offset + found })
        at = offset + found + 1
        isBlank = true
      }
      from = to + 1
    }
    offset += bytesRead
  }
  if (!isRunning && !isBlank) lines.push({ at, end: offset })
  return lines
}

/** Reads records that follow each other. */
async function recordsAt(handle: FileHandle, places: readonly Place[]): Promise<readonly unknown[]> {
  const [from, to] = [places[0]?.at ?? 0, places.at(-1)?.end ?? 0]
  if (to - from > maxRecordBytes) return places.map(() => null)
  const bytes = await bytesAt(handle, from, to)
  return places.map(({ at, end }) => parseOrUndefined(bytes.toString('utf8', at - from, end - from)) ?? null)
}

async function bytesAt(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from)
  return buffer.subarray(0, bytesRead)
}
