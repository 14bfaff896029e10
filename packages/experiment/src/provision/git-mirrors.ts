import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { checkoutOf, type ProvisionedWorkspace, type ProvisionOptions } from '@jurist/workspace'
import {
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

/** Local bare copies of repositories, one for each. */
export interface Mirrors {
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
  let cache = cacheDirectory
  return {
    async use({ repoPath, commitHash }, signal, action) {
      cache ??= temporaryCache()
      const directory = join(cache, `${sha256(withoutUserInfo(repoPath)).slice(0, 24)}.git`)
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

/** A workspace with the files of one commit, without history, made from the mirror of its repository. */
export async function checkOut(
  source: GitSource,
  mirrors: Mirrors,
  options: ProvisionOptions & { readonly signal: AbortSignal },
): Promise<{ readonly workspace: ProvisionedWorkspace; readonly origin: JsonObject }> {
  const { directory, commit } = await mirrors.use(source, options.signal, async (mirror) => mirror)
  const { subDirectory } = source
  const narrowed = subDirectory === null ? {} : { path: subDirectory }
  const workspace = await checkoutOf({ repository: directory, ref: commit, ...narrowed }, options)
  return { workspace, origin: gitOrigin(source, commit) }
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
