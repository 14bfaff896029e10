import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { containedPath } from '@jurist/kit/regular-file'

const maxFileBytes = 512 * 1024

export type FileContent =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' | 'too-large'; readonly bytes: number }

/** A directory whose files lie over those of another one, without those that were removed. */
export interface Overlay {
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
export interface FileListing {
  readonly files: ReadonlyMap<string, number>
  /** Whether some files are not listed. */
  readonly isCut: boolean
}

/** Lists the regular files below a directory. Links are neither followed nor listed. */
export async function listFiles(directory: string | Overlay): Promise<FileListing> {
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
