import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { checkoutOf, localWorkspace, type ProvisionedWorkspace, type ProvisionOptions } from '@jurist/workspace'
import {
  copyOfCheckout,
  deleteTree,
  fetchable,
  makeHistory,
  temporaryDirectory,
  withGit,
  withoutUserInfo,
} from '@jurist/workspace/internal'
import { sha256 } from '../dataset/hash.js'
import type { GitSource } from '../dataset/item.js'

/** A local copy of a repository, which does not name its origin. */
interface Mirror {
  readonly directory: string
  /** The full hash of the commit that was asked for. */
  readonly commit: string
  /** A repository with the commit and its ancestors only, to be copied; made once. */
  history(): Promise<string>
}

/** The files of a commit, checked out once for all who read or copy them. Disposing releases it. */
interface CommitTree extends AsyncDisposable {
  readonly directory: string
  /** The full hash. */
  readonly commit: string
}

/** Local bare copies of repositories, one for each, and checkouts of their commits. */
export interface Mirrors {
  /** The files of a commit, which must not be changed. */
  tree(source: GitSource, signal: AbortSignal): Promise<CommitTree>
  /**
   * Uses the mirror of a repository that holds a commit, after fetching it if necessary. Calls for one repository run one
   * after the other.
   */
  use<Result>(
    source: { readonly repoPath: string; readonly commitHash: string },
    signal: AbortSignal,
    action: (mirror: Mirror) => Promise<Result>,
  ): Promise<Result>
}

/** Mirrors below `cacheDirectory`; by default below a temporary one that is deleted when the process ends. */
export function repositoryMirrors(cacheDirectory?: string): Mirrors {
  const queues = new Map<string, Promise<unknown>>()
  const commits = new Map<string, string>()
  const trees = new Map<string, Checkout>()
  let made: string | undefined
  const temporary = () => {
    made ??= temporaryCache()
    return made
  }
  const mirrors: Mirrors = {
    async tree(source, signal) {
      const key = JSON.stringify([source.repoPath, source.commitHash, source.subDirectory])
      const checkout: Checkout = trees.get(key) ?? { made: undefined, turn: Promise.resolve(), users: 0 }
      // The last one that was used is the last in order.
      trees.delete(key)
      trees.set(key, checkout)
      checkout.users += 1
      const release = async () => {
        checkout.users -= 1
        await deleteUnused(trees)
      }
      // Where an earlier call failed, or was stopped, the next one tries itself.
      const turn = checkout.turn.then(async () => {
        checkout.made ??= await checkOutOnce(mirrors, source, { place: temporaryDirectory(temporary()), signal })
        return { ...checkout.made, [Symbol.asyncDispose]: release }
      })
      checkout.turn = turn.catch(release)
      return turn
    },
    async use({ repoPath, commitHash }, signal, action) {
      const directory = join(cacheDirectory ?? temporary(), `${sha256(withoutUserInfo(repoPath)).slice(0, 24)}.git`)
      const turn = (queues.get(directory) ?? Promise.resolve()).then(async () => {
        signal.throwIfAborted()
        const isNew = !existsSync(join(directory, 'HEAD'))
        if (isNew) await git(['init', '--bare', '--quiet', '--', directory], { signal })
        const key = `${directory} ${commitHash}`
        const commit =
          (isNew ? undefined : commits.get(key)) ?? (await fetchedCommit(directory, repoPath, commitHash, signal))
        commits.set(key, commit)
        return action({ directory, commit, history: () => historyIn(directory, commit, signal) })
      })
      // The next call waits for this one, also if it fails.
      queues.set(
        directory,
        turn.catch(() => undefined),
      )
      return turn
    },
  }
  return mirrors
}

interface Made {
  readonly directory: string
  readonly commit: string
  readonly bytes: number
}

interface Checkout {
  made: Made | undefined
  turn: Promise<unknown>
  users: number
}

/** Later trials use trees again; more than this would fill the disk. */
const mostUnusedBytes = 1024 ** 3

async function deleteUnused(trees: Map<string, Checkout>): Promise<void> {
  const deleted: string[] = []
  let bytes = 0
  for (const [key, { users, made }] of [...trees].reverse()) {
    if (users > 0) continue
    bytes += made?.bytes ?? 0
    if (made !== undefined && bytes <= mostUnusedBytes) continue
    trees.delete(key)
    if (made !== undefined) deleted.push(made.directory)
  }
  for (const directory of deleted) await deleteTree(directory)
}

/** A repository on this machine needs no mirror: the files of a commit come from its objects. */
async function checkOutOnce(
  mirrors: Mirrors,
  source: GitSource,
  { place, signal }: { readonly place: string; readonly signal: AbortSignal },
): Promise<Made> {
  const { repoPath, commitHash, subDirectory } = source
  signal.throwIfAborted()
  const { repository, ref } =
    repoPath.startsWith('file:') || existsSync(repoPath)
      ? { repository: repoPath, ref: commitHash }
      : await mirrors.use(source, signal, async ({ directory, commit }) => ({ repository: directory, ref: commit }))
  const narrowed = subDirectory === null ? {} : { path: subDirectory }
  const { root, origin, keep } = await checkoutOf({ repository, ref, ...narrowed }, { to: place, signal })
  keep()
  let bytes = 0
  for await (const { sizeBytes } of localWorkspace(root).list({ signal })) bytes += sizeBytes
  return { directory: root, commit: String(origin['commit']), bytes }
}

function temporaryCache(): string {
  const directory = temporaryDirectory()
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function fetchedCommit(
  directory: string,
  repository: string,
  hash: string,
  signal: AbortSignal,
): Promise<string> {
  const present = await resolveCommit(directory, hash, signal).catch(() => undefined)
  if (present !== undefined) return present
  signal.throwIfAborted()
  // The URL is given here and not configured: an agent in a worktree could read a configured one.
  const fetch = ['--git-dir', directory, 'fetch', '--quiet', '--no-write-fetch-head', '--no-tags']
  return fetchable(repository, { cwd: '.', timeoutMs, signal }, async (from) => {
    await git([...fetch, '--', from, '+refs/*:refs/*'], { signal })
    const fetched = await resolveCommit(directory, hash, signal).catch(() => undefined)
    if (fetched !== undefined) return fetched
    // A commit outside all branches: some servers send it if it is named in full.
    await git([...fetch, '--', from, hash], { signal })
    return resolveCommit(directory, hash, signal)
  })
}

async function historyIn(mirror: string, commit: string, signal: AbortSignal): Promise<string> {
  const histories = join(mirror, 'jurist-histories')
  const place = join(histories, commit)
  if (existsSync(place)) return place
  mkdirSync(histories, { recursive: true })
  const made = temporaryDirectory(histories)
  try {
    await withGit({ cwd: made, timeoutMs, signal }, (git) => makeHistory(git, { repository: mirror, commit }))
    renameSync(made, place)
  } finally {
    await deleteTree(made)
  }
  return place
}

async function resolveCommit(directory: string, hash: string, signal: AbortSignal): Promise<string> {
  const line = await git(
    ['--git-dir', directory, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${hash}^{commit}`],
    { signal },
  )
  return line.trim()
}

/** A workspace with the files of one commit, without history. */
export async function checkOut(
  source: GitSource,
  mirrors: Mirrors,
  options: ProvisionOptions & { readonly signal: AbortSignal },
): Promise<{ readonly workspace: ProvisionedWorkspace; readonly origin: JsonObject }> {
  await using tree = await mirrors.tree(source, options.signal)
  const workspace = await copyOfCheckout(tree.directory, options)
  return { workspace, origin: gitOrigin(source, tree.commit) }
}

/** The origin of a checkout: the repository of the item, not the mirror. */
export function gitOrigin({ repoPath, commitHash, subDirectory }: GitSource, commit: string): JsonObject {
  const path: JsonObject = subDirectory === null ? {} : { path: subDirectory }
  return Object.freeze({ kind: 'git', repository: withoutUserInfo(repoPath), ref: commitHash, commit, ...path })
}

/** The time limit of a git command, in milliseconds. */
export const timeoutMs = 300_000

/**
 * Runs one git command and returns its output.
 *
 * @throws `git-failed`
 */
async function git(
  args: readonly string[],
  { cwd = '.', signal }: { readonly cwd?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  signal?.throwIfAborted()
  return withGit({ cwd, timeoutMs, signal }, (run) => run(args))
}
