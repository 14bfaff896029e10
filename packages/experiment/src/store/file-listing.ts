import { appendFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { JuristError } from '@jurist/core'
import { regularFileText } from '@jurist/kit/regular-file'
import type { ItemResult } from '../result/records.js'
import type { SummarizedTrial } from '../result/trial-figures.js'
import { diskFailure, ifThere, replaceFile, systemCode } from './disk.js'
import { namesIn } from './documents.js'
import { holderOf, waitForLock } from './lock.js'
import { isRunId } from './names.js'
import { exclusionOf, type RunPaths, readRun, runPaths, type StoredRun } from './run-directory.js'
import { currentHead, entryOf, inResultOrder } from './run-head.js'
import type { RunEntry } from './store.js'

export interface Listing {
  readonly lockStaleMs: number
  readonly warn: (message: string) => void
}

/**
 * The entries of all runs of an experiment: from the index where it is up to date, else from the run itself; then the
 * index is brought up to date. A run that cannot be read is left out with a warning.
 */
export async function entriesOf(experimentDirectory: string, listing: Listing): Promise<readonly RunEntry[]> {
  const index = await readIndex(experimentDirectory)
  const ids = (await namesIn(experimentDirectory)).filter(isRunId)
  const entries: IndexedEntry[] = []
  let learned = !index.intact && ids.length > 0
  for (const id of ids) {
    const paths = runPaths(join(experimentDirectory, id))
    const known = await indexed(paths, index, listing)
    const entry = known ?? (await derivedOrNothing(paths, listing))
    if (entry === undefined) continue
    entries.push(entry)
    learned ||= known === undefined && entry.status !== 'running'
  }
  // A directory that must not be written to, such as an artifact of a build, can be listed all the same.
  if (learned) await rewriteIndex(experimentDirectory, entries.filter(isSettled)).catch(() => undefined)
  return entries.map(({ changedMs, ...entry }) => entry)
}

/** The parts of a run from which its entry is made. */
interface ListedRun extends Pick<StoredRun, 'head'> {
  readonly items: readonly (SummarizedTrial & Partial<Pick<ItemResult, 'endedAt'>>)[]
}

/**
 * Updates the entry of a run in the index. The index is only a cache, so errors become warnings.
 *
 * @param run the run as its files describe it, if the caller has read them
 */
export async function remember(paths: RunPaths, listing: Listing, run?: ListedRun): Promise<void> {
  try {
    const entry = await derived(paths, listing, run)
    if (entry !== undefined && isSettled(entry)) await appendToIndex(join(paths.directory, '..'), entry)
  } catch (thrown) {
    listing.warn(`The index of the experiment was not brought up to date: ${thrown}`)
  }
}

/** The entry of a run in the index, if the run has not changed since and no writer holds it. */
async function indexed(paths: RunPaths, index: RunIndex, listing: Listing): Promise<IndexedEntry | undefined> {
  const known = index.entries.get(idOf(paths))
  if (known === undefined) return undefined
  const changedMs = await changeOf(paths)
  if (changedMs !== known.changedMs || changedMs > index.modifiedMs) return undefined
  return (await holderOf(paths.lock, listing.lockStaleMs)) === undefined ? known : undefined
}

async function derivedOrNothing(paths: RunPaths, listing: Listing): Promise<IndexedEntry | undefined> {
  try {
    return await derived(paths, listing)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'record-invalid') && systemCode(thrown) === undefined) throw thrown
    listing.warn(`Run ${idOf(paths)} was left out of the list. ${diskFailure('read', paths.directory, thrown).message}`)
    return undefined
  }
}

async function derived(
  paths: RunPaths,
  { lockStaleMs, warn }: Listing,
  known?: ListedRun,
): Promise<IndexedEntry | undefined> {
  // Read first: any later change makes the entry outdated.
  const changedMs = await changeOf(paths)
  const run: ListedRun | undefined = known ?? (await readRun(paths, warn))
  if (run === undefined || changedMs === undefined) return undefined
  const held = (await holderOf(paths.lock, lockStaleMs)) !== undefined
  const items = inResultOrder(run.items, run.head)
  const head = currentHead(run.head, items, held)
  return { ...entryOf(head, items, await exclusionOf(paths)), changedMs }
}

/** A run that is being written changes without its directory changing: it is never remembered. */
function isSettled(entry: IndexedEntry): boolean {
  return entry.status !== 'running'
}

/** When the directory of a run, its head or its trials last changed. */
async function changeOf({ directory, head, items }: RunPaths): Promise<number | undefined> {
  const times = await Promise.all([directory, head, items].map(modifiedMs))
  const [ofDirectory] = times
  return ofDirectory && Math.max(...times.map((time) => time ?? 0))
}

async function modifiedMs(path: string): Promise<number | undefined> {
  return (await ifThere(stat(path)))?.mtimeMs
}

function idOf({ directory }: RunPaths): string {
  return basename(directory)
}

/** An entry, and when the run's files had last changed when it was made: if they changed since, the entry is old. */
interface IndexedEntry extends RunEntry {
  readonly changedMs: number
}

/** The content of `index.jsonl`, which is only a cache and can be rebuilt. */
interface RunIndex {
  readonly entries: ReadonlyMap<string, IndexedEntry>
  /** `false`: missing or damaged, to be rewritten. */
  readonly intact: boolean
  readonly modifiedMs: number
}

const nothing: RunIndex = { entries: new Map(), intact: false, modifiedMs: 0 }

/** Reads the index of an experiment; of two lines of one run the later one counts. */
async function readIndex(experimentDirectory: string): Promise<RunIndex> {
  const path = indexPath(experimentDirectory)
  try {
    const [text, { mtimeMs }] = await Promise.all([regularFileText(path), stat(path)])
    if (text !== '' && !text.endsWith('\n')) return nothing
    const lines = text.split('\n').slice(0, -1)
    const entries = new Map(lines.map((line) => indexedEntry(JSON.parse(line))))
    return { entries, intact: true, modifiedMs: mtimeMs }
  } catch {
    return nothing
  }
}

/** An index of an older version, whose entries lack fields, counts as damaged. */
function indexedEntry(entry: IndexedEntry): [string, IndexedEntry] {
  const isWhole = typeof entry.counts === 'object' && entry.passRateInterval !== undefined
  if (typeof entry.id !== 'string' || !isWhole) throw new TypeError('no entry of a run')
  return [entry.id, entry]
}

async function appendToIndex(experimentDirectory: string, entry: IndexedEntry): Promise<void> {
  await locked(experimentDirectory, async () => {
    await appendFile(indexPath(experimentDirectory), `${JSON.stringify(entry)}\n`)
  })
}

async function rewriteIndex(experimentDirectory: string, entries: readonly IndexedEntry[]): Promise<void> {
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  await locked(experimentDirectory, async () => {
    await replaceFile(indexPath(experimentDirectory), text, { sync: false, temporary: experimentDirectory })
  })
}

/** Runs `action` alone among all processes; leaves it out when the lock cannot be had in time, as it is only a cache. */
async function locked(experimentDirectory: string, action: () => Promise<void>): Promise<void> {
  const lock = await waitForLock(join(experimentDirectory, 'index.lock'))
  if (lock === undefined) return
  try {
    await action()
  } finally {
    await lock.release()
  }
}

function indexPath(experimentDirectory: string): string {
  return join(experimentDirectory, 'index.jsonl')
}
