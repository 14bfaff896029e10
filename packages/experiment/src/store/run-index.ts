import { appendFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from './disk.js'
import { waitForLock } from './lock.js'
import type { RunEntry } from './store.js'

/** An entry, and when the run's files had last changed when it was made: if they changed since, the entry is old. */
export interface IndexedEntry extends RunEntry {
  readonly changedMs: number
}

/** What `index.jsonl` says. It is a cache: nothing in it is needed. */
export interface RunIndex {
  readonly entries: ReadonlyMap<string, IndexedEntry>
  /** `false`: missing or damaged, to be written anew. */
  readonly intact: boolean
  readonly modifiedMs: number
}

const nothing: RunIndex = { entries: new Map(), intact: false, modifiedMs: 0 }

/** Reads the index of an experiment; of two lines of one run the later one counts. */
export async function readIndex(experimentDirectory: string): Promise<RunIndex> {
  const path = indexPath(experimentDirectory)
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)])
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
  const isWhole = typeof entry.counts === 'object' && entry.judgeCostUsd !== undefined
  if (typeof entry.id !== 'string' || !isWhole) throw new TypeError('no entry of a run')
  return [entry.id, entry]
}

/** Adds an entry to the index. */
export async function appendToIndex(experimentDirectory: string, entry: IndexedEntry): Promise<void> {
  await locked(experimentDirectory, async () => {
    await appendFile(indexPath(experimentDirectory), `${JSON.stringify(entry)}\n`)
  })
}

/** Writes the whole index anew. */
export async function rewriteIndex(experimentDirectory: string, entries: readonly IndexedEntry[]): Promise<void> {
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  await locked(experimentDirectory, async () => {
    await replaceFile(indexPath(experimentDirectory), text, { sync: false, temporary: experimentDirectory })
  })
}

const staleMs = 10_000
const patienceMs = 5_000

/** Runs `action` alone among all processes; leaves it out when the lock cannot be had in time, as it is only a cache. */
async function locked(experimentDirectory: string, action: () => Promise<void>): Promise<void> {
  const lock = await waitForLock(join(experimentDirectory, 'index.lock'), staleMs, patienceMs)
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
