import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { JuristError, type Workspace, type WorkspaceEntry } from '@jurist/core'
import { maxEntries } from '@jurist/core/internal'
import ignore, { type Ignore } from 'ignore'
import { pathOf, shownPath } from './byte-path.js'
import { checkedPath, isInside, locate } from './containment.js'
import { systemCode } from './errors.js'
import { systemPath } from './system-path.js'
import { directoryOf } from './workspace-settings.js'

export interface Listing {
  readonly under: string
  readonly ignore: readonly string[]
  readonly maxEntries: number
  /**
   * Whether a name that is not UTF-8 is listed with its real type, for callers that find the file of such a path
   * through `pathOf`.
   */
  readonly anyNames?: boolean
  readonly signal: AbortSignal | undefined
}

interface Walk extends Listing {
  readonly root: string
  readonly ignored: Ignore | undefined
}

const sliceMs = 50

/**
 * Lists every entry below a directory, ordered by code units of the whole path. Links are entries and never entered.
 * Without `anyNames`, a name that is not UTF-8 is escaped and listed as `other`, whatever its type: no path of a
 * workspace leads there.
 */
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
  for (const { key, entry } of steps(walking, directory, prefix)) {
    const path = `${prefix}${entry.name}`
    if (walking.ignored?.ignores(entry.type === 'directory' ? `${path}/` : path)) continue
    if (key !== entry.name) yield* walk(walking, join(directory, entry.name), `${path}/`)
    else
      yield Object.freeze({
        path,
        type: entry.type,
        sizeBytes: entry.type === 'file' ? sizeOf(join(directory, entry.name)) : 0,
      })
  }
}

interface Named {
  readonly name: string
  readonly type: WorkspaceEntry['type']
}

/**
 * Returns the entries of a directory. Each directory occurs twice: itself, and with a `/` at the position of its
 * contents. `a.txt` comes between `a` and `a/b`.
 */
function steps(
  { anyNames }: Listing,
  directory: string,
  prefix: string,
): readonly { readonly key: string; readonly entry: Named }[] {
  const entries = readDirectory(directory, prefix).map((entry) => named(entry, anyNames === true))
  const all = entries.flatMap((entry) =>
    entry.type === 'directory'
      ? [
          { key: entry.name, entry },
          { key: `${entry.name}/`, entry },
        ]
      : [{ key: entry.name, entry }],
  )
  return all.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}

function readDirectory(directory: string, prefix: string): readonly Dirent<Buffer>[] {
  try {
    return readdirSync(systemPath(directory), { withFileTypes: true, encoding: 'buffer' })
  } catch (thrown) {
    // Removed while the tree was walked.
    if (systemCode(thrown) === 'ENOENT' || systemCode(thrown) === 'ENOTDIR') return []
    throw new Error(`The directory ${prefix === '' ? '.' : prefix} cannot be listed: ${systemCode(thrown)}.`, {
      cause: thrown,
    })
  }
}

function named(entry: Dirent<Buffer>, anyNames: boolean): Named {
  const name = pathOf(entry.name)
  if (!anyNames && typeof systemPath(name) !== 'string') return { name: shownPath(name), type: 'other' }
  if (entry.isFile()) return { name, type: 'file' }
  return { name, type: entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'symlink' : 'other' }
}

function sizeOf(absolute: string): number {
  return lstatSync(systemPath(absolute), { throwIfNoEntry: false })?.size ?? 0
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new JuristError('aborted', 'Listing was stopped.', { reason: String(signal.reason) })
}

/** No build of the project writes there, and dependencies alone may have more entries than are listed. */
const foreign: readonly string[] = ['.git', 'node_modules']

function isForeign(path: string): boolean {
  return path.split('/').some((segment) => foreign.includes(segment))
}

/**
 * Lists the entries of a workspace that globs may match, without what others wrote, unless a glob names a place in it by
 * its beginning, up to the first segment with a wildcard.
 */
export async function* searchedEntries(
  workspace: Workspace,
  globs: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<WorkspaceEntry> {
  const { default: picomatch } = await import('picomatch')
  const named = globs.map((glob) => posix.normalize(picomatch.scan(glob).base)).filter(isForeign)
  const root = directoryOf(workspace)
  if (root === undefined) {
    for await (const entry of workspace.list({ signal }))
      if (!isForeign(entry.path) || named.some((place) => isInside(place, entry.path))) yield entry
    return
  }
  const how = { maxEntries, signal }
  yield* listTree(root, { under: '.', ignore: foreign.map((name) => `${name}/`), ...how })
  const places = [...new Set(named.map((place) => place.replace(/\/$/, '')))]
  for (const place of places.filter((one) => !places.some((other) => one.startsWith(`${other}/`)))) {
    const under = posix.dirname(place)
    const [above, only] = [under === '.' ? '' : `${under}/`, place].map((path) => path.replace(/[\\[\] ]/g, '\\$&'))
    yield* listTree(root, { under, ignore: [`/${above}*`, `!/${only}`], ...how })
  }
}

/**
 * Matches paths of a workspace against globs, relative to its root or to the directory a command runs in. `**` crosses
 * directories, and names with a leading dot match too, unless `dot` is `false`.
 */
export async function globMatcher(
  globs: readonly string[],
  cwd = '.',
  options: { readonly nocase?: boolean; readonly dot?: boolean; readonly nonegate?: boolean } = {},
): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import('picomatch')
  const matches = picomatch([...globs], { dot: true, ...options })
  const below = cwd === '.' ? '' : `${cwd}/`
  return (path) => matches(path) || (path.startsWith(below) && matches(path.slice(below.length)))
}
