import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JournalEvent } from '@jurist/core'
import { journalPart } from '@jurist/experiment/internal/journal'
import { readJournal } from '@jurist/experiment/journal'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import type { ReadableDirectories } from './changes.js'
import { containedPath } from './contained-files.js'

/** Larger journals are not read. */
const maxJournalBytes: number = 32 * 1024 * 1024
/** How many records one document contains at most. The first one has what the first screen needs. */
const maxRecords = { first: 300, further: 4_000 } as const

/** All or some of the records that an agent made during a trial. */
export type JournalDocument =
  | { readonly state: 'unknown'; readonly reason: string }
  | {
      readonly state: 'read'
      /** The records from the index `from`; `null` for a damaged line. */
      readonly records: readonly unknown[]
      readonly from: number
      readonly total: number
      /** Identifies the journal. Another attempt of a trial begins another journal in the same file. */
      readonly start: string
      /** Whether the trial is still running, so that more records will follow. */
      readonly isRunning: boolean
    }

/** This much of the first record identifies a journal: it contains the time. */
const startLength = 200

const nothingKept = 'There is no journal: the agent recorded nothing, or the journal was not kept.'

/** Reads the journal of a trial, from the record with the index `from` (default: the first). */
export async function journalDocument(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
  query: URLSearchParams,
): Promise<JournalDocument> {
  const file = await journalFile(directories, run, item)
  return file === undefined ? { state: 'unknown', reason: nothingKept } : readDocument(file, query, false)
}

/** Reads a journal, even one that is still being written. */
export async function readDocument(file: string, query: URLSearchParams, isRunning: boolean): Promise<JournalDocument> {
  const { size } = await stat(file)
  if (size > maxJournalBytes) return { state: 'unknown', reason: `The journal is too large: ${size} bytes.` }
  const text = await readFile(file, 'utf8')
  const from = firstIn(query)
  // A last line without a line break is still being written.
  const written = isRunning ? text.slice(0, text.lastIndexOf('\n') + 1) : text
  const part = journalPart(written, from, from === 0 ? maxRecords.first : maxRecords.further)
  const records = part.records.map((record) => record ?? null)
  return { state: 'read', records, from, total: part.total, start: part.start.slice(0, startLength), isRunning }
}

/** Reads the events of a trial; none without a journal that can be read as a whole. */
export async function trialEvents(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
): Promise<readonly JournalEvent[]> {
  const file = await journalFile(directories, run, item)
  if (file === undefined || (await stat(file)).size > maxJournalBytes) return []
  return (await readJournal(file)).events
}

function firstIn(query: URLSearchParams): number {
  const text = query.get('from') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}

export async function journalFile(
  { directory }: ReadableDirectories,
  run: RunResult,
  { journalPath }: Pick<ItemResult, 'journalPath'>,
): Promise<string | undefined> {
  if (directory === undefined || journalPath === null) return undefined
  return containedPath([directory], join(directory, run.experimentName, run.id), journalPath)
}
