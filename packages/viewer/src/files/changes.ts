import { isDeepStrictEqual } from 'node:util'
import { fileSide } from './file-side.js'
import type { SidesFound } from './sides.js'
import { type Tree, treeOf } from './tree.js'

/** A file that differs. */
export interface ChangedFile {
  readonly path: string
  readonly change: 'added' | 'removed' | 'modified'
  /** `null` where the file does not exist. */
  readonly beforeBytes: number | null
  readonly afterBytes: number | null
}

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
  return { state: 'compared', files, isCut: old.isCut || now.isCut }
}

/** Files of one size that are too large to be read, or no text, count as equal. */
async function isSame(before: string | null, after: string, path: string): Promise<boolean> {
  return isDeepStrictEqual(await fileSide(before, path), await fileSide(after, path))
}
