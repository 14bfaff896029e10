import { setImmediate } from 'node:timers/promises'
import ignore from 'ignore'

export type Found =
  | { readonly kind: 'file'; readonly sizeBytes: number; readonly executable?: boolean }
  /** Nothing, or a broken link. */
  | { readonly kind: 'missing' }
  /** A link that leaves the tree. */
  | { readonly kind: 'escape' }
  /** `what` follows "is" in messages: `a directory`. */
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'unreadable' }

/** The paths of a tree, sorted by code units. */
export interface Listing {
  /** Everything but directories. The value is whether it is known to be a regular file (and not a link to one). */
  readonly files: ReadonlyMap<string, boolean>
  /** The directories that could not be entered. */
  readonly unreadable: readonly string[]
  /** Whether there are more entries than may be listed. */
  readonly truncated: boolean
}

/** Which paths count. `directory` returns whether anything below can count. */
export interface Selection {
  file(path: string): boolean
  directory(path: string): boolean
}

/** A file that is read piece by piece into the caller's memory. */
export interface OpenFile extends Disposable {
  /** Fills the buffer from `offset`. Returns the number of bytes, or -1 if they cannot be read. */
  fill(buffer: Uint8Array, offset: number): number
}

/** A tree of files for comparisons: a directory read directly, or any workspace. Nothing in it is trusted. */
export interface FileTree {
  readonly root: string | null
  list(selection: Selection, signal: AbortSignal): Promise<Listing>
  look(path: string): Promise<Found>
  /**
   * Reads the first `length` bytes (or all there are) of a path that is a file according to `look`; `undefined` if it
   * cannot be read.
   */
  read(path: string, length: number): Promise<Uint8Array | undefined>
  /** Opens a path that is a file according to `look`; `undefined` if it cannot be read. */
  open(path: string): Promise<OpenFile | undefined>
}

/** How many entries of one tree are listed. */
export const maxTreeEntries = 200_000

/**
 * Creates a selection: all paths but the ignored ones, restricted to `only` if it is given. Both arrays are in
 * gitignore syntax, and case counts.
 */
export function selectionOf(options: {
  readonly ignore: readonly string[]
  readonly only?: readonly string[]
}): Selection {
  const ignored = matcher(options.ignore)
  const only = options.only && ignore({ ignorecase: false, allowRelativePaths: true }).add(options.only)
  return {
    file: (path) => !ignored.ignores(path) && (only?.ignores(path) ?? true),
    directory: (path) => !ignored.ignores(`${path}/`),
  }
}

/**
 * Matches paths, by the last segment alone if all patterns are plain names (like those of `defaultIgnore`): a walk has
 * already tested the directories above before it reaches a path, and calling the library takes longer than comparing a
 * small file.
 */
function matcher(patterns: readonly string[]): { ignores(path: string): boolean } {
  const library = ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns)
  const names = patterns.map((pattern) => /^\/?([\w.-]+)\/?$/.exec(pattern)?.[1])
  if (!names.every((name) => name !== undefined)) return library
  const plain = new Set(names)
  return { ignores: (path) => plain.has(lastSegment(path)) && library.ignores(path) }
}

function lastSegment(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

const turnMs = 50

/**
 * Creates a pause to be awaited between steps of synchronous work: it lets the event loop turn every 50 ms. The pause
 * rejects with the reason of the signal when that has fired.
 */
export function pacer(signal: AbortSignal): { readonly due: () => boolean; readonly pause: () => Promise<void> } {
  let since = performance.now()
  return {
    due: () => performance.now() - since > turnMs,
    async pause() {
      signal.throwIfAborted()
      await setImmediate()
      signal.throwIfAborted()
      since = performance.now()
    },
  }
}
