import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'

/** How a tree is copied. */
export interface CopyTreeOptions {
  /** `auto`: copy-on-write where the file system offers it; `reflink`: only so; `copy`: every byte. */
  readonly clone: 'auto' | 'reflink' | 'copy'
  /** What becomes of links that leave the tree, and of what is neither file, directory nor link. */
  readonly misfit: (path: string, problem: string) => void
  /** Entries of the root that are left out. */
  readonly skip?: readonly string[]
  readonly signal?: AbortSignal
}

const modes = {
  auto: constants.COPYFILE_FICLONE,
  reflink: constants.COPYFILE_FICLONE_FORCE,
  copy: 0,
} as const

const filesAtOnce = 16

/**
 * Copies a directory to one that must not exist, or be empty: modes and modification times of files are kept, links stay
 * links, and files with several hard links become files of their own.
 */
export async function copyTree(from: string, to: string, options: CopyTreeOptions): Promise<void> {
  await mkdir(to, { recursive: true })
  await copyDirectory({ from, to, ...options }, '')
}

interface Copying extends CopyTreeOptions {
  readonly from: string
  readonly to: string
}

async function copyDirectory(copying: Copying, under: string): Promise<void> {
  const { from, to, skip = [], signal, misfit } = copying
  signal?.throwIfAborted()
  const entries = await readdir(join(from, under), { withFileTypes: true })
  const files: string[] = []
  for (const entry of entries) {
    const path = join(under, entry.name)
    if (under === '' && skip.includes(entry.name)) continue
    if (entry.isFile()) files.push(path)
    else if (entry.isDirectory()) {
      await mkdir(join(to, path))
      await copyDirectory(copying, path)
    } else if (entry.isSymbolicLink()) await copyLink(copying, path)
    else misfit(path, 'is neither a file, a directory nor a link')
  }
  for (let start = 0; start < files.length; start += filesAtOnce)
    await Promise.all(files.slice(start, start + filesAtOnce).map((path) => copyOneFile(copying, path)))
}

async function copyOneFile({ from, to, clone }: Copying, path: string): Promise<void> {
  const target = join(to, path)
  await copyFile(join(from, path), target, modes[clone])
  const { atime, mtime } = await lstat(join(from, path))
  await utimes(target, atime, mtime)
}

async function copyLink({ from, to, misfit }: Copying, path: string): Promise<void> {
  const target = await readlink(join(from, path))
  if (isAbsolute(target) || leaves(from, resolve(from, dirname(path), target)))
    return misfit(path, 'is a link that leaves the directory')
  await symlink(target, join(to, path))
}

function leaves(root: string, absolute: string): boolean {
  const way = relative(root, absolute)
  return way === '..' || way.startsWith('../')
}
