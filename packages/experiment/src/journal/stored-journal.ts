import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { type JournalEvent, JuristError } from '@jurist/core'
import { parseOrUndefined } from '@jurist/kit/json'
import { containedPath, isRefusedFile, openRegularFile, regularFileText } from '@jurist/kit/regular-file'
import type { ItemResult } from '../result/records.js'
import type { LinePlace, RunResult } from '../result/trial-figures.js'
import { partsOfFile } from '../store/line-parts.js'
import { isJournalEvent, isJournalHeader, journalLines } from './journal-events.js'

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

const partBytes: number = 8 * 1024 * 1024
const maxRecordBytes: number = 16 * 1024 * 1024
const startLength = 200

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
    const [header] = await recordsAt(file, lines.slice(0, 1))
    const places = isJournalHeader(header) ? lines.slice(1) : lines
    const [first] = await recordsAt(file, places.slice(0, 1))
    return {
      total: places.length,
      start: places.length === 0 ? '' : JSON.stringify(first).slice(0, startLength),
      read: (from, most) => recordsAt(file, places.slice(from, from + most)),
    }
  } finally {
    await handle.close()
  }
}

/** Finds the lines of a file that are not blank. */
async function linesOf(handle: FileHandle, isRunning: boolean): Promise<readonly LinePlace[]> {
  const lines: LinePlace[] = []
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
        if (!isBlank) lines.push({ offset: at, length: offset + found - at })
        at = offset + found + 1
        isBlank = true
      }
      from = to + 1
    }
    offset += bytesRead
  }
  if (!isRunning && !isBlank) lines.push({ offset: at, length: offset - at })
  return lines
}

/** Reads the first records of these, as many as are in memory together. */
async function recordsAt(file: string, places: readonly LinePlace[]): Promise<readonly unknown[]> {
  if ((places[0]?.length ?? 0) > maxRecordBytes) return [null]
  const open = () => openRegularFile(file)
  for await (const { bytes, lines } of partsOfFile(places, { open, partBytes, changed: () => hasShrunk(file) }))
    return lines.map(({ offset, length }) => parseOrUndefined(bytes.toString('utf8', offset, offset + length)) ?? null)
  return []
}

function hasShrunk(path: string): never {
  throw new JuristError('store-failed', `${path} has become shorter since it was opened. Open the journal again.`, {
    path,
  })
}

/**
 * Reads the journal of a trial: its events in order. Damaged lines and events of unknown types are left out and counted
 * in `dropped`; the header is neither.
 *
 * @throws `not-found` when the file does not exist
 *
 * @example
 * import { readJournal } from '@jurist/experiment/journal'
 *
 * const { events } = await readJournal('results/add-readme/20261121T091500123Z-4kq7rm/journal/one--1.jsonl')
 */
export async function readJournal(
  path: string,
): Promise<{ readonly events: readonly JournalEvent[]; readonly dropped: number }> {
  const text = await regularFileText(path).catch((cause: unknown) => {
    const problem = isRefusedFile(cause) ? `cannot be read: ${cause.message}` : 'does not exist'
    throw new JuristError('not-found', `${path} ${problem}. Pass a file below journal/ of a run.`, { path }, { cause })
  })
  const { records } = journalLines(text)
  const events = records.filter(isJournalEvent)
  return { events, dropped: records.length - events.length }
}
