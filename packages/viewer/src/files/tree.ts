import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** More files than these are not looked at. */
const mostFiles = 5_000
/** What tools make and no task is about. */
const passedOver: readonly string[] = ['.git', 'node_modules']

/** The files of a directory by path, with their sizes in bytes. */
export interface Tree {
  readonly files: ReadonlyMap<string, number>
  /** Whether there are more files than were looked at. */
  readonly isCut: boolean
}

/** The plain files below a directory; links are neither followed nor listed. */
export async function treeOf(directory: string): Promise<Tree> {
  const files = new Map<string, number>()
  let isCut = false
  const walk = async (at: string): Promise<void> => {
    for (const entry of (await readdir(join(directory, at), { withFileTypes: true })).sort(byName)) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`
      if (passedOver.includes(entry.name)) continue
      if (files.size >= mostFiles) {
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
