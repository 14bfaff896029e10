import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { JuristError, type WorkspaceEntry } from '@jurist/core'
import ignore, { type Ignore } from 'ignore'
import { checkedPath, locate } from './containment.js'
import { systemCode } from './errors.js'

/** What of a tree is listed. */
export interface Listing {
  readonly under: string
  readonly ignore: readonly string[]
  readonly maxEntries: number
  readonly signal: AbortSignal | undefined
}

interface Walk extends Listing {
  readonly root: string
  readonly ignored: Ignore | undefined
}

const sliceMs = 50

/** Every entry below a directory, ordered by code units of the whole path; links are entries and never entered. */
export async function* listTree(root: string, listing: Listing): AsyncGenerator<WorkspaceEntry> {
  const under = checkedPath(listing.under, 'entry')
  const { exists, absolute } = locate(root, under)
  stopIfAborted(listing.signal)
  if (!exists || !lstatSync(absolute).isDirectory()) return
  const ignored = listing.ignore.length === 0 ? undefined : ignore().add([...listing.ignore])
  let count = 0
  let sliceEnd = performance.now() + sliceMs
  for (const entry of walk({ ...listing, root, ignored }, absolute, under === '.' ? '' : `${under}/`)) {
    stopIfAborted(listing.signal)
    if (++count > listing.maxEntries)
      throw new JuristError('limit-exceeded', `${under} has more than ${listing.maxEntries} entries.`, {
        what: 'entries',
        limit: listing.maxEntries,
      })
    yield entry
    if (performance.now() < sliceEnd) continue
    await setImmediate()
    sliceEnd = performance.now() + sliceMs
  }
}

function* walk(walking: Walk, directory: string, prefix: string): Generator<WorkspaceEntry> {
  for (const { key, entry } of steps(directory, prefix)) {
    const path = `${prefix}${entry.name}`
    if (walking.ignored?.ignores(entry.isDirectory() ? `${path}/` : path)) continue
    if (key !== entry.name) yield* walk(walking, join(directory, entry.name), `${path}/`)
    else yield entryOf(entry, path, directory)
  }
}

/**
 * The entries of a directory, each directory twice: itself, and with a `/` where what is below it belongs. `a.txt` stands
 * between `a` and `a/b`.
 */
function steps(directory: string, prefix: string): readonly { readonly key: string; readonly entry: Dirent }[] {
  const entries = readDirectory(directory, prefix)
  const all = entries.flatMap((entry) =>
    entry.isDirectory()
      ? [
          { key: entry.name, entry },
          { key: `${entry.name}/`, entry },
        ]
      : [{ key: entry.name, entry }],
  )
  return all.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}

function readDirectory(directory: string, prefix: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (thrown) {
    // Taken away while the tree was walked.
    if (systemCode(thrown) === 'ENOENT' || systemCode(thrown) === 'ENOTDIR') return []
    throw new Error(`The directory ${prefix === '' ? '.' : prefix} cannot be listed: ${systemCode(thrown)}.`, {
      cause: thrown,
    })
  }
}

function entryOf(entry: Dirent, path: string, directory: string): WorkspaceEntry {
  if (entry.isFile()) return Object.freeze({ path, type: 'file', sizeBytes: sizeOf(join(directory, entry.name)) })
  const type = entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'symlink' : 'other'
  return Object.freeze({ path, type, sizeBytes: 0 })
}

function sizeOf(absolute: string): number {
  return lstatSync(absolute, { throwIfNoEntry: false })?.size ?? 0
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new JuristError('aborted', 'Listing was stopped.', { reason: String(signal.reason) })
}
