import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { JuristError } from '@jurist/core'
import type { ItemResult } from '../result/records.js'
import type { SummarizedTrial } from '../result/trial-figures.js'
import { diskFailure, isMissing, systemCode } from './disk.js'
import { namesIn } from './documents.js'
import { holderOf } from './lock.js'
import { isRunId } from './names.js'
import { exclusionOf, type RunPaths, readRun, runPaths, type StoredRun } from './run-directory.js'
import { currentHead, entryOf, inResultOrder } from './run-head.js'
import { appendToIndex, type IndexedEntry, type RunIndex, readIndex, rewriteIndex } from './run-index.js'
import type { RunEntry } from './store.js'

/** What a listing needs to know of its store. */
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

/** As much of a run as its entry is made of. */
interface ListedRun extends Pick<StoredRun, 'head'> {
  readonly items: readonly (SummarizedTrial & Partial<Pick<ItemResult, 'endedAt'>>)[]
}

/**
 * Puts the present entry of a run into the index, which is only a cache: trouble becomes a warning.
 *
 * @param run what its files say, when the caller knows
 */
export async function remember(paths: RunPaths, listing: Listing, run?: ListedRun): Promise<void> {
  try {
    const entry = await derived(paths, listing, run)
    if (entry !== undefined && isSettled(entry)) await appendToIndex(join(paths.directory, '..'), entry)
  } catch (thrown) {
    listing.warn(`The index of the experiment was not brought up to date: ${thrown}`)
  }
}

/** What the index says of a run, when the run has not changed since and no writer holds it. */
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
  // Looked at first: what changes from here on makes the entry old.
  const changedMs = await changeOf(paths)
  const run: ListedRun | undefined = known ?? (await readRun(paths, warn))
  if (run === undefined || changedMs === undefined) return undefined
  const held = (await holderOf(paths.lock, lockStaleMs)) !== undefined
  const items = inResultOrder(run.items, run.head.itemOrder)
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
  try {
    return (await stat(path)).mtimeMs
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

function idOf({ directory }: RunPaths): string {
  return basename(directory)
}
