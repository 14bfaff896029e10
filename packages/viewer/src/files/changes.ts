import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { PromptChange, TrialName } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import type { SeenWorker } from '@jurist/experiment/store-kit'
import { containedPath } from '@jurist/kit/regular-file'
import { unifiedDiff } from '@jurist/kit/text-diff'

/** The other side of a comparison with a workspace. With `nothing`, all its files are shown. */
export type Against = 'before' | 'reference' | 'nothing'

interface ComparedDirectories {
  readonly before: string | null
  readonly after: string | Overlay
}

/** The directories that files may be read from. */
export interface ReadableDirectories {
  /** The results directory; `undefined` if the store keeps no files. */
  readonly directory: string | undefined
  /** Copies the files of a trial, or of all trials, into the directory. */
  readonly fetch?: (run: RunResult, trials?: readonly TrialName[]) => Promise<void>
  /** Additional directories for a run, such as its dataset. */
  readonly sourcesOf: (run: RunResult) => Promise<readonly string[]>
  /** The workers that run trials elsewhere. */
  readonly workers?: () => Promise<readonly SeenWorker[]>
}

/** The reason why directories cannot be compared, and whether the agent's final workspace can still be shown. */
interface NotCompared {
  readonly state: 'unknown'
  readonly reason: string
  readonly hasWorkspace: boolean
}

/** Finds the directories of a trial to compare, or the reason why they cannot be compared. */
export async function comparedDirectories(
  { directory, sourcesOf }: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
  against: Against,
): Promise<ComparedDirectories | NotCompared> {
  if (directory === undefined) return notCompared('This store does not keep workspaces.', false)
  if (item.workspacePath === null)
    return notCompared('The workspace was not kept. Keep it: jurist run --preserve all', false)
  const base = join(directory, run.experimentName, run.id)
  const kept = await containedPath([directory], base, item.workspacePath)
  if (kept === undefined) return notCompared('The workspace no longer exists.', false)
  const roots = [directory, ...(await sourcesOf(run))]
  const { keptChanges, beforePath } = item
  const below = keptChanges && beforePath !== null ? await containedPath(roots, directory, beforePath) : undefined
  const after = keptChanges && below ? { over: kept, below, removed: keptChanges.removed } : kept
  if (against === 'nothing') return { before: null, after }
  const path = against === 'before' ? item.beforePath : item.referencePath
  if (path === null && Object.hasOwn(item.metadata, `${against}Source`))
    return notCompared(
      `The ${against === 'before' ? 'initial state' : 'reference'} is a commit in a git repository, which this page does not read.`,
    )
  if (path === null) return against === 'before' ? { before: null, after } : notCompared('The item has no reference.')
  const before = await containedPath(roots, directory, path)
  return before === undefined
    ? notCompared(
        `${against === 'before' ? 'The initial state' : 'The reference'} is neither in this store nor in a dataset of this project. Pass the directory that contains it: jurist view --source <dir>`,
      )
    : { before, after }
}

function notCompared(reason: string, hasWorkspace = true): NotCompared {
  return { state: 'unknown', reason, hasWorkspace }
}

export interface ChangedFile {
  readonly path: string
  readonly change: 'added' | 'removed' | 'modified'
  /** `null` if the file does not exist on that side. */
  readonly beforeBytes: number | null
  readonly afterBytes: number | null
  /** The contents of both sides. Only the first small files include them; the page requests the others one by one. */
  readonly sides?: { readonly before: FileContent; readonly after: FileContent }
}

/** How many files include their contents, and the largest sum of both sides. */
const maxIncludedFiles = 12
const maxIncludedBytes = 50_000

/** The differences between an agent's final workspace and the directory it is compared with. */
export type ChangesDocument =
  | NotCompared
  | { readonly state: 'compared'; readonly files: readonly ChangedFile[]; readonly isCut: boolean }

const nothing: FileListing = { files: new Map(), isCut: false }

/** Lists the files that differ between two directories, by path. */
export async function changesBetween({ before, after }: ComparedDirectories): Promise<ChangesDocument> {
  const [old, now] = await listings({ before, after })
  const paths = [...new Set([...old.files.keys(), ...now.files.keys()])].sort()
  const files: ChangedFile[] = []
  for (const path of paths) {
    const [beforeBytes, afterBytes] = [old.files.get(path) ?? null, now.files.get(path) ?? null]
    if (beforeBytes === null) files.push({ path, change: 'added', beforeBytes, afterBytes })
    else if (afterBytes === null) files.push({ path, change: 'removed', beforeBytes, afterBytes })
    else if (beforeBytes !== afterBytes || !(await isSame(before, after, path)))
      files.push({ path, change: 'modified', beforeBytes, afterBytes })
  }
  const withContent = await Promise.all(
    files.map((file, index) => (index < maxIncludedFiles ? withSides(file, { before, after }) : file)),
  )
  return { state: 'compared', files: withContent, isCut: old.isCut || now.isCut }
}

/** The files of both sides. Where only changes are kept and compared with what they changed, only these. */
async function listings({ before, after }: ComparedDirectories): Promise<readonly [FileListing, FileListing]> {
  if (before === null || typeof after === 'string' || after.below !== before)
    return [before === null ? nothing : await listFiles(before), await listFiles(after)]
  const now = await listFiles(after.over)
  const old = new Map<string, number>()
  for (const path of [...now.files.keys(), ...after.removed]) {
    const place = await containedPath([before], before, path)
    const found = place === undefined ? undefined : await stat(place)
    if (found?.isFile()) old.set(path, found.size)
    else if (place !== undefined)
      for (const [name, size] of (await listFiles(place)).files) old.set(`${path}/${name}`, size)
  }
  return [{ files: old, isCut: false }, now]
}

async function withSides(file: ChangedFile, { before, after }: ComparedDirectories): Promise<ChangedFile> {
  if ((file.beforeBytes ?? 0) + (file.afterBytes ?? 0) > maxIncludedBytes) return file
  return {
    ...file,
    sides: { before: await fileContent(before, file.path), after: await fileContent(after, file.path) },
  }
}

/** Binary files and those that are too large to read count as equal if their sizes are equal. */
async function isSame(before: string | null, after: string | Overlay, path: string): Promise<boolean> {
  return isDeepStrictEqual(await fileContent(before, path), await fileContent(after, path))
}

/** Returns the changed files as lines of unified diffs. Files after the first `most` are only named. */
export async function unifiedChanges(
  compared: ComparedDirectories,
  most: number,
): Promise<readonly PromptChange[] | string> {
  const changes = await changesBetween(compared)
  if (changes.state === 'unknown') return changes.reason
  return Promise.all(
    changes.files.map(async ({ path, sides }, index) => {
      if (index >= most) return { path, lines: null }
      const before = textOf(sides?.before ?? (await fileContent(compared.before, path)))
      const after = textOf(sides?.after ?? (await fileContent(compared.after, path)))
      return { path, lines: before === undefined || after === undefined ? null : unifiedDiff(before, after) }
    }),
  )
}

function textOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.text : content.kind === 'absent' ? '' : undefined
}

const maxFileBytes = 512 * 1024

export type FileContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' | 'too-large'; readonly bytes: number }

/** A directory whose files lie over those of another one, without those that were removed. */
interface Overlay {
  readonly over: string
  readonly below: string
  readonly removed: readonly string[]
}

function isRemoved({ removed }: Overlay, path: string): boolean {
  return removed.some((gone) => path === gone || path.startsWith(`${gone}/`))
}

/** Reads a file below a directory, never through a link. */
export async function fileContent(directory: string | Overlay | null, path: string): Promise<FileContent> {
  if (directory !== null && typeof directory !== 'string') {
    const content = await fileContent(directory.over, path)
    return content.kind === 'absent' && !isRemoved(directory, path) ? fileContent(directory.below, path) : content
  }
  const file = directory === null ? undefined : await containedPath([directory], directory, path)
  if (file === undefined) return { kind: 'absent' }
  // The file may have been replaced by a link since the check.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) return { kind: 'absent' }
    if (found.size > maxFileBytes) return { kind: 'too-large', bytes: found.size }
    return contentOf(await handle.readFile())
  } finally {
    await handle.close()
  }
}

function contentOf(bytes: Buffer): FileContent {
  if (bytes.includes(0)) return { kind: 'binary', bytes: bytes.length }
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { kind: 'binary', bytes: bytes.length }
  }
}

const maxListedFiles = 5_000

/** Tools create these directories. */
const skippedDirectories: readonly string[] = ['.git', 'node_modules']

/** The files of a directory by path, with their sizes in bytes. */
interface FileListing {
  readonly files: ReadonlyMap<string, number>
  /** Whether some files are not listed. */
  readonly isCut: boolean
}

/** Lists the regular files below a directory. Links are neither followed nor listed. */
async function listFiles(directory: string | Overlay): Promise<FileListing> {
  if (typeof directory !== 'string') {
    const [over, below] = [await listFiles(directory.over), await listFiles(directory.below)]
    const files = new Map([...below.files, ...over.files])
    for (const path of below.files.keys()) if (!over.files.has(path) && isRemoved(directory, path)) files.delete(path)
    return { files, isCut: over.isCut || below.isCut }
  }
  const files = new Map<string, number>()
  let isCut = false
  const walk = async (at: string): Promise<void> => {
    for (const entry of (await readdir(join(directory, at), { withFileTypes: true })).sort(byName)) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (skippedDirectories.includes(entry.name)) continue
      if (files.size >= maxListedFiles) {
        isCut = true
        return
      }
      if (entry.isDirectory()) await walk(path)
      else if (entry.isFile()) files.set(path, (await stat(join(directory, path))).size)
    }
  }
  await walk('')
  return { files, isCut }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1
}
