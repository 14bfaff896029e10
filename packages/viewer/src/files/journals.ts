import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JournalEvent } from '@jurist/core'
import { journalFile, openJournal } from '@jurist/experiment/internal'
import { type TrialName, trialKey, trialsOf } from '@jurist/experiment/internal/results'
import { readJournal } from '@jurist/experiment/journal'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { parseObject } from '@jurist/kit/json'
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
async function readDocument(file: string, query: URLSearchParams, isRunning: boolean): Promise<JournalDocument> {
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

export interface UnfinishedDocument {
  readonly trials: readonly RunningTrial[]
}

/** A trial without a result. */
interface RunningTrial extends TrialName {
  /** The worker that runs it. The journal comes with its result. */
  readonly worker?: string
}

interface UnfinishedTrial extends TrialName {
  readonly file: string
}

/** Lists the trials that are running. The list is empty when the run has ended. */
export async function unfinishedDocument(
  directories: ReadableDirectories,
  run: RunResult,
): Promise<UnfinishedDocument> {
  if (run.status !== 'running') return { trials: [] }
  const here = await unfinishedTrials(directories, run)
  const workers = (await directories.workers?.()) ?? []
  const elsewhere = workers.flatMap(({ id, trials }) =>
    trials.flatMap(({ run: of, itemId, repetition }) => (of === run.id ? [{ itemId, repetition, worker: id }] : [])),
  )
  return { trials: [...here.map(({ itemId, repetition }) => ({ itemId, repetition })), ...elsewhere] }
}

/** Finds the journal of a trial without a result; `undefined` for any other trial. */
export async function unfinishedJournal(
  directories: ReadableDirectories,
  run: RunResult,
  { itemId, repetition }: TrialName,
  query: URLSearchParams,
): Promise<JournalDocument | undefined> {
  const trials = await unfinishedTrials(directories, run)
  const found = trials.find((trial) => trial.itemId === itemId && trial.repetition === repetition)
  return found && readDocument(found.file, query, run.status === 'running')
}

const journals = 'journal'

/** The first line of a journal names its trial. */
const maxHeaderBytes = 4_096

async function unfinishedTrials(directories: ReadableDirectories, run: RunResult): Promise<readonly UnfinishedTrial[]> {
  const { directory } = directories
  if (directory === undefined) return []
  const names = await readdir(join(directory, run.experimentName, run.id, journals)).catch(() => [])
  const finished = new Set(trialsOf(run).map(({ itemId, repetition }) => trialKey({ itemId, repetition })))
  // If a file has an ordinary name, the name alone shows that the trial has ended.
  const isOpen = (name: string) => !finished.has(name.replace(/--(\d+)\.jsonl$/, '\n$1'))
  const found: UnfinishedTrial[] = []
  for (const name of names.filter((one) => one.endsWith('.jsonl')).filter(isOpen)) {
    const file = await journalFile(directory, run, { journalPath: `${journals}/${name}` })
    const trial = file === undefined ? undefined : await trialIn(file)
    if (file !== undefined && trial !== undefined && !finished.has(trialKey(trial))) found.push({ ...trial, file })
  }
  return found
}

async function trialIn(file: string): Promise<TrialName | undefined> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0)
    const [line = ''] = buffer.toString('utf8', 0, bytesRead).split('\n')
    const { itemId, repetition } = parseObject(line) ?? {}
    return typeof itemId === 'string' && typeof repetition === 'number' ? { itemId, repetition } : undefined
  } finally {
    await handle.close()
  }
}
