import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Json } from '@jurist/core'
import { canonicalJson } from '@jurist/experiment/internal'
import { usageInvalid } from '@jurist/experiment/plugin'
import { copyOf, localWorkspace, snapshot } from '@jurist/workspace'
import { deleteTree, type Git, readingGit } from '@jurist/workspace/internal'

/** A file of a version. */
interface VersionFile {
  readonly path: string
  readonly isExecutable: boolean
  readonly content: Uint8Array
}

/** The editable files of an agent, as they are in a work tree. */
export interface Version {
  /** A hash over the paths, the contents and the executable bits. */
  readonly tree: string
  readonly files: readonly VersionFile[]
  /** Paths that were left out: links, and everything that is not a regular file. */
  readonly left: readonly string[]
}

const [mostFiles, mostBytes, deepest] = [20_000, 256 * 1024 * 1024, 64]

/**
 * Reads the editable files of a work tree. Links are not followed: they would lead to anything that the user can read.
 *
 * @throws `usage-invalid` for more than 20,000 files, 256 MB, or 64 levels
 */
export async function versionIn(root: string, editable: readonly string[]): Promise<Version> {
  const files: VersionFile[] = []
  const left: string[] = []
  let bytes = 0
  const real = await realpath(root)
  async function read(path: string, depth: number): Promise<void> {
    const place = join(real, path)
    const stats = await lstat(place).catch(() => undefined)
    if (stats === undefined) return
    if (depth > deepest || files.length >= mostFiles || bytes > mostBytes)
      throw usageInvalid(
        '--editable',
        `The editable files are too many, too large or too deep: at most ${mostFiles} files, 256 MB and ${deepest} levels. Remove some of ${path}.`,
      )
    if (stats.isDirectory() && (await realpath(place)) === place) {
      for (const name of (await readdir(place)).sort()) if (name !== '.git') await read(`${path}/${name}`, depth + 1)
    } else if (stats.isFile() && (await realpath(dirname(place))) === dirname(place)) {
      bytes += stats.size
      if (bytes > mostBytes) return read(path, depth)
      files.push({ path, isExecutable: (stats.mode & 0o100) !== 0, content: await contentOf(place) })
    } else left.push(path)
  }
  for (const path of editable) await read(path, 0)
  files.sort((one, other) => (one.path < other.path ? -1 : 1))
  const hash = createHash('sha256')
  for (const { path, isExecutable, content } of files)
    hash.update(JSON.stringify([path, isExecutable, content.length])).update(content)
  return { tree: hash.digest('hex'), files, left }
}

async function contentOf(place: string): Promise<Uint8Array> {
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/**
 * Makes the project with the files of a version: everything else is as the ratchet keeps it. It is made again by each command, so
 * that nothing in it was changed since.
 */
export async function placeVersion(state: string, version: Version, editable: readonly string[]): Promise<string> {
  const place = versionPlace(state, version.tree)
  const unfinished = `${place}.${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  {
    await using copy = await copyOf(join(state, 'tree'), { to: unfinished, ignore: [] })
    copy.keep()
  }
  for (const path of editable) await rm(join(unfinished, path), { recursive: true, force: true })
  for (const { path, isExecutable, content } of version.files) {
    const file = join(unfinished, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    if (isExecutable) await chmod(file, 0o755)
  }
  await deleteTree(place)
  await rename(unfinished, place)
  return place
}

export function versionPlace(state: string, tree: string): string {
  return join(state, 'versions', tree.slice(0, 32))
}

/** Deletes the files of every version but these. */
export async function sweepVersions(state: string, kept: readonly string[]): Promise<void> {
  const places = kept.map((tree) => versionPlace(state, tree))
  for (const name of await readdir(join(state, 'versions')).catch(() => []))
    if (!places.includes(join(state, 'versions', name))) await deleteTree(join(state, 'versions', name))
}

/** A hash over all files of a directory, and where its links lead. */
export async function treeHash(root: string): Promise<string> {
  return hashOf((await snapshot(localWorkspace(root), { ignore: [] })).files)
}

/** SHA-256 of the canonical JSON of a value. */
export function hashOf(value: object): string {
  return createHash('sha256')
    .update(canonicalJson(value as Json))
    .digest('hex')
}

const gitMs = 120_000

/**
 * Writes a version as a commit after another. The index and the config of the repository are not used: an agent may have
 * written a program into them.
 *
 * @returns the hash of the commit
 */
export async function commitVersion(
  repository: string,
  parent: string,
  given: Pick<Version, 'files'> & {
    readonly from: string
    readonly editable: readonly string[]
    readonly message: string
  },
): Promise<string> {
  const { files, from, editable, message } = given
  return readingGit({ cwd: repository, timeoutMs: gitMs }, async (git) => {
    await git(['read-tree', parent])
    const remove = '--literal-pathspecs rm --cached -r --force --quiet --ignore-unmatch --'
    await git([...remove.split(' '), ...editable])
    for (let at = 0; at < files.length; at += 100) {
      const some = files.slice(at, at + 100)
      const places = some.map(({ path }) => join(from, path))
      const hashes = (await git(['hash-object', '-w', '--no-filters', '--', ...places])).split('\n')
      const entries = some.flatMap(({ path, isExecutable }, place) => [
        '--cacheinfo',
        `${isExecutable ? '100755' : '100644'},${hashes[place]},${path}`,
      ])
      await git(['update-index', '--add', ...entries])
    }
    const tree = await git(['write-tree'])
    const identity = ['-c', 'user.name=jurist', '-c', 'user.email=jurist@localhost']
    return git([...identity, 'commit-tree', '-p', parent, '-m', message, tree])
  })
}

/** Lets the reference of a ratchet lead to a commit. */
export async function pointTo(repository: string, reference: string, commit: string): Promise<void> {
  await readingGit({ cwd: repository, timeoutMs: gitMs }, async (git) => {
    const now = await git(['rev-parse', '--verify', '--quiet', reference]).catch(() => '')
    if (now !== commit) await git(['update-ref', reference, commit])
  })
}

/** Paths that differ from a commit in a work tree, apart from some. */
export async function otherChanges(root: string, commit: string, apart: readonly string[]): Promise<readonly string[]> {
  const names = (text: string) => text.split('\0').filter((name) => name !== '')
  const found = await readingGit(
    { cwd: root, timeoutMs: gitMs, maxOutputBytes: 16 * 1024 * 1024 },
    async (git: Git) => [
      ...names(await git(['diff', '--name-only', '--no-ext-diff', '--no-textconv', '-z', commit, '--'])),
      ...names(await git(['ls-files', '--others', '--exclude-standard', '-z'])),
    ],
  )
  return [...new Set(found)].filter((path) => !apart.some((one) => path === one || path.startsWith(`${one}/`)))
}
