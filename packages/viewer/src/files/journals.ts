import { stat } from 'node:fs/promises'
import type { JournalEvent } from '@jurist/core'
import { journalFile, openJournal } from '@jurist/experiment/internal'
import { readJournal } from '@jurist/experiment/journal'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { cachedValues } from '../cached-runs.js'
import type { ReadableDirectories } from './changes.js'

/** Journals above this size are shown, but not diagnosed: that needs all events in memory. */
const maxDiagnosedBytes: number = 32 * 1024 * 1024
/**
 * How many records one document contains at most. The first one has what the first screen needs. Later ones grow with
 * what the page has already, since it draws its figures again for each.
 */
const most = { first: 300, further: 4_000 } as const

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

const nothingKept = 'There is no journal: the agent recorded nothing, or the journal was not kept.'

/** Reads the journal of a trial, from the record with the index `from` (default: the first). */
export async function journalDocument(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
  query: URLSearchParams,
): Promise<JournalDocument> {
  const file = await journalFile(directories.directory, run, item)
  return file === undefined ? { state: 'unknown', reason: nothingKept } : readDocument(file, query, false)
}

/** Reads a journal, even one that is still being written. */
export async function readDocument(file: string, query: URLSearchParams, isRunning: boolean): Promise<JournalDocument> {
  const { size, mtimeMs, ino } = await stat(file)
  const state = [size, mtimeMs, ino, isRunning].join(' ')
  const journal = await recentJournals.get(file, state, () => openJournal(file, isRunning))
  const from = firstIn(query)
  const records = await journal.read(from, from === 0 ? most.first : Math.max(most.further, Math.floor(from / 4)))
  return { state: 'read', records, from, total: journal.total, start: journal.start, isRunning }
}

/** The journals that were read last. */
const recentJournals = cachedValues(4)

/** Reads the events of a trial; none without a journal that can be read as a whole. */
export async function trialEvents(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
): Promise<readonly JournalEvent[]> {
  const file = await journalFile(directories.directory, run, item)
  if (file === undefined || (await stat(file)).size > maxDiagnosedBytes) return []
  return (await readJournal(file)).events
}

function firstIn(query: URLSearchParams): number {
  const text = query.get('from') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}
