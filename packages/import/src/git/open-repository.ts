import { mkdir, realpath, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { JuristError } from '@jurist/core'
import { usageInvalid } from '@jurist/experiment/plugin'
import { type Git, readingGit, repositoryAround, withGit } from '@jurist/workspace/internal'

export interface OpenRepository {
  /** Used for the name of the dataset. */
  readonly name: string
  /** The directory that git runs in. */
  readonly directory: string
  /** The repository as items name it: a URL, or a path below the dataset. */
  readonly repoPath: string
}

const isUrl = /^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i

/** The directory of a dataset for the clone of a remote repository. */
const cloned = 'repository.git'

/** The time limit for a clone. */
const cloneTimeoutMs = 1_800_000
/** The longest that a timer takes. Between its calls of git an import runs tests, which may take hours. */
const readTimeoutMs = 2 ** 31 - 1

export interface RepositoryPlace {
  readonly name: string
  /** A local directory, or the URL to clone. */
  readonly at: { readonly directory: string } | { readonly url: string }
}

/**
 * Finds the repository that a path or a URL names.
 *
 * @throws `usage-invalid` if there is no repository
 */
export async function findRepository(given: string, cwd: string, signal: AbortSignal): Promise<RepositoryPlace> {
  if (isUrl.test(given)) return { name: nameOf(given), at: { url: given } }
  const place = resolve(cwd, given)
  if ((await stat(place).catch(() => undefined))?.isDirectory() !== true)
    throw usageInvalid('repository', `${given} is not a directory. Name a git repository, or its URL.`)
  const directory = await reading({ directory: place }, signal, (git) => rootOf(git, place)).catch((thrown) => {
    throw usageInvalid(
      'repository',
      `${given} is not a git repository: ${gitFailure(thrown).trim()}. Name one, or run the command inside one.`,
    )
  })
  return { name: nameOf(directory), at: { directory } }
}

/**
 * Opens a local repository where it is, or clones a remote one into the dataset.
 *
 * @throws `git-failed` if it cannot be cloned
 */
export async function openRepository(
  { name, at }: RepositoryPlace,
  dataset: string,
  signal: AbortSignal,
): Promise<OpenRepository> {
  if ('directory' in at) return { name, directory: at.directory, repoPath: pathToFileURL(at.directory).href }
  const directory = join(dataset, cloned)
  await mkdir(dataset, { recursive: true })
  if ((await stat(directory).catch(() => undefined)) === undefined)
    await withGit({ cwd: dataset, timeoutMs: cloneTimeoutMs, signal }, (git) =>
      git(['clone', '--quiet', '--bare', '--end-of-options', at.url, cloned]),
    )
  return { name, directory, repoPath: cloned }
}

/** Calls `work` with a git that only reads the repository. */
export function reading<Value>(
  { directory }: { readonly directory: string },
  signal: AbortSignal,
  work: (git: Git) => Promise<Value>,
): Promise<Value> {
  return readingGit({ cwd: directory, timeoutMs: readTimeoutMs, maxOutputBytes: 256 * 1024 * 1024, signal }, work)
}

async function rootOf(git: Git, place: string): Promise<string> {
  await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).catch((thrown) => {
    gitFailure(thrown)
    throw usageInvalid('repository', 'The repository has no commits. Commit something first.')
  })
  const found = repositoryAround(place)
  return realpath(found?.tree ?? found?.directory ?? place)
}

function nameOf(place: string): string {
  const name = basename(place.replace(/[/\\]+$/, '')).replace(/\.git$/, '')
  return name === '' || name === 'repo' ? 'repository' : name
}

/** Returns the error output of git. Other exceptions are rethrown. */
export function gitFailure(thrown: unknown): string {
  if (!JuristError.is(thrown, 'git-failed')) throw thrown
  return thrown.details.stderr
}
