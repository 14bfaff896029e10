import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { usageInvalid } from '@jurist/experiment/plugin'
import { safeLine } from '@jurist/kit/terminal'
import {
  checkOutCommit,
  deleteTree,
  type Git,
  type Repository,
  readingGit,
  repositoryAround,
  sweepTemporary,
  temporaryDirectory,
} from '@jurist/workspace/internal'

/** A commit on the way from good to bad. */
export interface Commit {
  readonly hash: string
  /** The first line of its message. */
  readonly subject: string
}

/** The commits to search. */
export interface History {
  readonly repository: Repository
  /** From the good one to the bad one, both included: first parents. */
  readonly commits: readonly Commit[]
  /** How many commits in between touch none of the paths, and are no suspects. */
  readonly untouched: number
  /** Whether files of the working tree differ from the commit that is checked out. */
  readonly isDirty: boolean
}

interface Asked {
  readonly good: string
  readonly bad: string
  /** Only commits that touch one of these; `[]`: all. */
  readonly paths: readonly string[]
}

const timeoutMs = 300_000

/**
 * Reads the commits between two revisions.
 *
 * @throws `usage-invalid` with the command that mends it
 */
export async function historyOf(directory: string, asked: Asked, signal: AbortSignal): Promise<History> {
  const repository = repositoryAround(directory)
  if (repository === null)
    throw usageInvalid('--good', `${directory} is not in a git repository, so there are no commits to search.`)
  return readingGit({ cwd: directory, timeoutMs, maxOutputBytes: 64 * 1024 * 1024, signal }, async (git) => {
    const [good, bad] = [await commitOf(git, '--good', asked.good), await commitOf(git, '--bad', asked.bad)]
    if (good === bad)
      throw usageInvalid('--bad', `--good ${asked.good} and --bad ${asked.bad} are the same commit. Name two.`)
    const all = await log(git, [`${good}..${bad}`])
    const [first] = all
    const parent = first === undefined ? '' : await git(['rev-parse', `${first.hash}^`]).catch(() => '')
    if (parent !== good)
      throw usageInvalid(
        '--good',
        `--good ${asked.good} is not on the way of first parents to --bad ${asked.bad}. Name the commit where they part: git merge-base ${asked.good} ${asked.bad}`,
      )
    const suspects = asked.paths.length === 0 ? all : await log(git, [`${good}..${bad}`, '--', ...asked.paths])
    if (suspects.length === 0)
      throw usageInvalid(
        '--path',
        `No commit after ${asked.good} touches ${asked.paths.join(', ')}. Name another path, or none.`,
      )
    const [begin] = await log(git, ['-1', good])
    return {
      repository,
      commits: [...(begin === undefined ? [] : [begin]), ...suspects],
      untouched: all.length - suspects.length,
      isDirty: (await git(['status', '--porcelain', '--untracked-files=no'])) !== '',
    }
  })
}

async function commitOf(git: Git, flag: string, revision: string): Promise<string> {
  try {
    return await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])
  } catch (thrown) {
    if (!JuristError.is(thrown, 'git-failed')) throw thrown
    const isShallow = (await git(['rev-parse', '--is-shallow-repository'])) === 'true'
    const remedy = isShallow
      ? 'The clone is shallow: git fetch --unshallow --tags'
      : 'See the commits: git log --oneline'
    throw usageInvalid(flag, `${flag} ${revision} is not a commit here. ${remedy}`)
  }
}

async function log(git: Git, args: readonly string[]): Promise<readonly Commit[]> {
  const lines = await git(['log', '--first-parent', '--reverse', '--format=%H %s', ...args])
  return lines.split('\n').flatMap((line) => {
    const hash = line.slice(0, 40)
    return hash === '' ? [] : { hash, subject: safeLine(line.slice(41)) }
  })
}

/** Files of commits, each checked out once. */
export interface Trees extends AsyncDisposable {
  /** The directory of a commit's files. Rejects where they cannot be checked out or prepared. */
  readonly open: (commit: Commit) => Promise<string>
}

/**
 * @param parent where a new directory is made for all of them, with the first of them. It is removed at the end
 * @param prepare what makes a commit ready to run, in its directory
 */
export function treesIn(
  parent: string,
  repository: Repository,
  prepare: (directory: string) => Promise<void>,
  signal: AbortSignal,
): Trees {
  let place: Promise<string> | undefined
  const opened = new Map<string, Promise<string>>()
  async function made(): Promise<string> {
    await mkdir(parent, { recursive: true })
    // A search that was killed left its files.
    await sweepTemporary(parent)
    return temporaryDirectory(parent)
  }
  async function open({ hash }: Commit): Promise<string> {
    place ??= made()
    const directory = join(await place, hash.slice(0, 12))
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory, { recursive: true })
    await checkOutCommit(repository, hash, { cwd: directory, timeoutMs, signal })
    await prepare(directory)
    return directory
  }
  return {
    open(commit) {
      const directory = opened.get(commit.hash) ?? open(commit)
      opened.set(commit.hash, directory)
      return directory
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(opened.values())
      if (place === undefined) return
      await deleteTree(await place)
      await rmdir(parent).catch(() => undefined)
    },
  }
}
