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
