import { setImmediate } from 'node:timers/promises'
import ignore from 'ignore'

/** A file or something else at a path of a tree. */
export type Found =
  | { readonly kind: 'file'; readonly sizeBytes: number; readonly executable?: boolean }
  /** Nothing, or a link that leads to nothing. */
  | { readonly kind: 'missing' }
  /** A link that leaves the tree. */
  | { readonly kind: 'escape' }
  /** `what` as it reads after "is": `a directory`. */
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'unreadable' }

/** The paths of a tree, sorted by code units. */
export interface Listing {
  /** Everything but directories, with whether it is known to be a regular file (and not a link to one). */
  readonly files: ReadonlyMap<string, boolean>
  /** Directories that could not be entered. */
  readonly unreadable: readonly string[]
  /** Whether there are more entries than may be listed. */
  readonly truncated: boolean
}

/** Which paths count; `directory` asks whether anything below can. */
export interface Selection {
  file(path: string): boolean
  directory(path: string): boolean
}

/** A file that is read piece by piece into memory that its reader has. */
export interface OpenFile extends Disposable {
  /** Fills the buffer from `offset` on; answers how many bytes there were, and -1 when they cannot be read. */
  fill(buffer: Uint8Array, offset: number): number
}

/** A tree of files as comparisons see it: a directory read directly, or any workspace. Nothing in it is trusted. */
export interface FileTree {
  /** The absolute directory, where there is one. */
  readonly root: string | null
  list(selection: Selection, signal: AbortSignal): Promise<Listing>
  look(path: string): Promise<Found>
  /** The first `length` bytes (or all there are) of what `look` says is a file; `undefined` when it cannot be read. */
  read(path: string, length: number): Promise<Uint8Array | undefined>
  /** Opens what `look` says is a file; `undefined` when it cannot be read. */
  open(path: string): Promise<OpenFile | undefined>
}

/** The most entries that are listed of one tree. */
export const maxTreeEntries = 200_000

/**
 * Which paths count: all but the ignored ones, and with `only` no others than those. Both lists are in gitignore
 * syntax, and case counts.
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
 * Whether a path matches, by the last segment alone where all patterns are plain names (as those of `defaultIgnore` are):
 * a walk has asked about the directories above before it reaches a path, and asking the library takes longer than
 * comparing a small file.
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
 * A pause to be awaited between steps of synchronous work: it lets the event loop turn every 50 ms.
 * The pause rejects with the reason of the signal when that has fired.
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
