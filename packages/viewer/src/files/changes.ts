import { isDeepStrictEqual } from 'node:util'
import { type FileSide, fileSide } from './file-side.js'
import type { SidesFound } from './sides.js'
import { type Tree, treeOf } from './tree.js'

/** A file that differs. */
export interface ChangedFile {
  readonly path: string
  readonly change: 'added' | 'removed' | 'modified'
  /** `null` where the file does not exist. */
  readonly beforeBytes: number | null
  readonly afterBytes: number | null
  /** What is in it; only of the first small files, the others are asked for one by one. */
  readonly sides?: { readonly before: FileSide; readonly after: FileSide }
}

/** So many files come with their texts, when they are no larger than this together on both sides. */
const mostTold = 12
const maxToldBytes = 50_000

/** What differs between the workspace that an agent left and what it is compared with. */
export type ChangesDocument =
  | { readonly state: 'unknown'; readonly reason: string }
  | { readonly state: 'compared'; readonly files: readonly ChangedFile[]; readonly isCut: boolean }

const nothing: Tree = { files: new Map(), isCut: false }

/** The files that differ between two directories, by path. */
export async function changesBetween({ before, after }: SidesFound): Promise<ChangesDocument> {
  const [old, now] = [before === null ? nothing : await treeOf(before), await treeOf(after)]
  const paths = [...new Set([...old.files.keys(), ...now.files.keys()])].sort()
  const files: ChangedFile[] = []
  for (const path of paths) {
    const [beforeBytes, afterBytes] = [old.files.get(path) ?? null, now.files.get(path) ?? null]
    if (beforeBytes === null) files.push({ path, change: 'added', beforeBytes, afterBytes })
    else if (afterBytes === null) files.push({ path, change: 'removed', beforeBytes, afterBytes })
    else if (beforeBytes !== afterBytes || !(await isSame(before, after, path)))
      files.push({ path, change: 'modified', beforeBytes, afterBytes })
  }
  const told = await Promise.all(
    files.map((file, index) => (index < mostTold ? withSides(file, { before, after }) : file)),
  )
  return { state: 'compared', files: told, isCut: old.isCut || now.isCut }
}

async function withSides(file: ChangedFile, { before, after }: SidesFound): Promise<ChangedFile> {
  if ((file.beforeBytes ?? 0) + (file.afterBytes ?? 0) > maxToldBytes) return file
  return { ...file, sides: { before: await fileSide(before, file.path), after: await fileSide(after, file.path) } }
}

/** Files of one size that are too large to be read, or no text, count as equal. */
async function isSame(before: string | null, after: string, path: string): Promise<boolean> {
  return isDeepStrictEqual(await fileSide(before, path), await fileSide(after, path))
}
