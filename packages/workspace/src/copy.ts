import { lstatSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type JsonObject, JuristError } from '@jurist/core'
import { checkOptions, option, optionInvalid } from '@jurist/core/internal'
import { checkedPath, isInside, locate } from './containment.js'
import type { CloneMode } from './copy-tree.js'
import { copyTree, type TreeCopyOptions } from './copy-tree.js'
import { provisionFailed } from './errors.js'
import {
  fetchable,
  filesOfCommit,
  type Git,
  type GitOptions,
  gitFailed,
  makeHistory,
  withGit,
  withoutUserInfo,
} from './git.js'
import { type ProvisionedWorkspace, type ProvisionOptions, provisioned, provisionRules } from './provision.js'
import { deleteOrWarn, temporaryDirectory } from './temporary-directory.js'

/**
 * Creates an empty directory as a workspace.
 *
 * @example
 * import { emptyDirectory } from '@jurist/workspace'
 *
 * await using workspace = await emptyDirectory()
 */
export async function emptyDirectory(options?: ProvisionOptions): Promise<ProvisionedWorkspace> {
  return provisioned(checkOptions('emptyDirectory', options, provisionRules), async () => ({ kind: 'empty' }))
}

/** Options of `copyOf`. */
export interface CopyOptions extends ProvisionOptions {
  /** Patterns of what is left out, in `.gitignore` syntax. Default `['.git/']`. */
  readonly ignore?: readonly string[]
  /** How files are copied. Default `'auto'`. */
  readonly clone?: CloneMode
  /**
   * The treatment of links that leave the directory, and of entries that are not files, directories or links. With
   * `'refuse'`, they make the copy fail; with `'leave-out'`, they are left out with a process warning. Default
   * `'refuse'`.
   */
  readonly misfits?: 'refuse' | 'leave-out'
}

/**
 * Copies a directory, without `.git/` unless `ignore` changes that. Permissions, modification times and links that stay
 * inside are kept. Set-user-id and set-group-id bits are not, and hard links become separate files.
 *
 * @throws `path-escape` for a link that leaves `dir`, `provision-failed` for a FIFO, socket or device, or when storage
 * cannot be shared under `clone: 'reflink'`; `limit-exceeded` above 200,000 entries or 4 GiB, `not-found` when `dir` is
 * not a directory
 *
 * @example
 * import { copyOf } from '@jurist/workspace'
 *
 * await using workspace = await copyOf('fixtures/project')
 */
export async function copyOf(dir: string, options?: CopyOptions): Promise<ProvisionedWorkspace> {
  const given = checkOptions('copyOf', options, {
    ...provisionRules,
    ignore: option.strings,
    clone: option.oneOf('auto', 'reflink', 'copy'),
    misfits: option.oneOf('refuse', 'leave-out'),
  })
  const { ignore = ['.git/'], clone = 'auto', misfits = 'refuse', ...rest } = given
  return copied(dir, rest, { ignore, clone, misfits, links: 'inside' })
}

/** Copies a checkout of ours: its links are as the repository has them. */
export function copyOfCheckout(dir: string, options: ProvisionOptions): Promise<ProvisionedWorkspace> {
  return copied(dir, options, { ignore: [], clone: 'auto', misfits: 'refuse', links: 'verbatim' })
}

function copied(dir: string, options: ProvisionOptions, how: Omit<TreeCopyOptions, 'signal'>) {
  const { installed, signal } = options
  const from = sourceOf(dir)
  return provisioned(options, async (to) => {
    if (isInside(from, realpathSync(to))) throw provisionFailed(to, `it would lie inside ${dir}, which is copied`)
    const ignore = [...how.ignore, ...(installed?.paths ?? []).map((path) => `/${path}`)]
    const { files, bytes } = await copyTree(from, to, { ...how, ignore, signal })
    return { kind: 'copy', files, bytes }
  })
}

function sourceOf(dir: string): string {
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) {
    const real = realpathSync(dir)
    if (lstatSync(real).isDirectory()) return real
  }
  throw new JuristError('not-found', `${dir} is not a directory. Pass one that exists.`, { path: dir })
}

/** The files of a commit. */
export interface GitSource {
  /** A URL (`https`, `ssh` or `file`) or a directory. */
  readonly repository: string
  /** A branch, a tag or a commit. */
  readonly ref: string
  /** The directory of the repository that becomes the root. Default: the whole repository. */
  readonly path?: string
  /**
   * Whether to create a `.git` with the commit and its ancestors, but no later commit, branch, tag or remote. Cannot be
   * combined with `path`. Submodules become files without a history. Default `false`.
   */
  readonly history?: boolean
  /** Whether submodules are checked out too. Default `false`. */
  readonly submodules?: boolean
  /** The time limit for all git commands together, in milliseconds. Default 300,000. */
  readonly timeoutMs?: number
}

/**
 * Creates a directory with the files of a commit. Git runs without hooks, without the settings of the machine, and
 * without prompts.
 *
 * @throws `git-failed` when the commit cannot be fetched or has no files, `option-invalid` for an invalid source
 *
 * @example
 * import { checkoutOf } from '@jurist/workspace'
 *
 * await using workspace = await checkoutOf({ repository: 'https://example.org/project.git', ref: 'v1.2.0' })
 */
export async function checkoutOf(source: GitSource, options?: ProvisionOptions): Promise<ProvisionedWorkspace> {
  const wanted = checkedSource(source)
  const given = checkOptions('checkoutOf', options, provisionRules)
  return provisioned(given, async (directory): Promise<JsonObject> => {
    const { repository, ref, path, timeoutMs = 300_000 } = wanted
    // With `path`, the files are moved up afterwards, without leaving the given directory.
    const cwd = path === undefined ? directory : join(directory, '.jurist-checkout')
    await mkdir(cwd, { recursive: true })
    const limits = { timeoutMs, signal: given.signal }
    const isAlone = wanted.history !== true && wanted.submodules !== true
    const commit =
      (isAlone ? await filesOfCommit(remoteOf(repository), ref, { ...limits, cwd }) : undefined) ??
      (await withGit({ ...limits, cwd }, (git) => checkOut(git, wanted, { ...limits, cwd })))
    const history = wanted.history === true ? await historyOf(cwd, commit, limits) : undefined
    await removeHistory(cwd, wanted.submodules === true)
    if (history !== undefined) await moveHistory(history, cwd, limits)
    if (path !== undefined) await narrow(directory, cwd, path)
    if (readdirSync(directory).length === 0) throw gitFailed(`the commit ${commit} has no files.`)
    const origin = { kind: 'git', repository: withoutUserInfo(repository), ref, commit }
    return path === undefined ? origin : { ...origin, path }
  })
}

function checkedSource(source: GitSource): GitSource {
  const word = { wants: 'a string that does not begin with "-"', holds: isWord }
  const given = checkOptions('checkoutOf', source, {
    repository: word,
    ref: word,
    path: option.string,
    history: option.boolean,
    submodules: option.boolean,
    timeoutMs: option.positive,
  })
  const { repository, ref, path, history } = given
  if (repository === undefined || ref === undefined)
    optionInvalid('repository', 'checkoutOf: name a "repository" and a "ref".')
  if (path === undefined) return given
  if (history === true)
    optionInvalid('history', 'checkoutOf: "history" belongs to a whole repository; leave "path" out.')
  return { ...given, path: checkedPath(path, 'entry') }
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !value.startsWith('-') && !/[\0\n]/.test(value)
}

async function checkOut(git: Git, source: GitSource, options: GitOptions): Promise<string> {
  const remote = remoteOf(source.repository)
  await git(['init', '--quiet'])
  const commit = await fetchable(remote, options, (from) => fetchCommit(git, from, source))
  await git(['checkout', '--quiet', '--detach', commit])
  if (source.submodules === true) {
    // URLs of submodules may be relative to that of the repository.
    await git(['config', 'remote.origin.url', remote])
    await git(['submodule', '--quiet', 'update', '--init', '--recursive'])
  }
  return commit
}

/** A directory is resolved here, since git runs elsewhere. `host:path` is a URL, too. */
function remoteOf(repository: string): string {
  return /^([a-z][a-z0-9+.-]*:\/\/|[^/]+:)/i.test(repository) ? repository : resolve(repository)
}

/** Fetches the commit of a ref, alone if that suffices, and returns its hash. */
async function fetchCommit(git: Git, remote: string, { ref, history }: GitSource): Promise<string> {
  const single = ['fetch', '--quiet', '--no-tags', '--depth=1', '--end-of-options', remote, ref]
  const fetched = history === true ? false : await succeeds(git(single))
  if (fetched) return git(['rev-parse', '--verify', '--end-of-options', 'FETCH_HEAD^{commit}'])
  // An abbreviated commit, or one relative to another, is only found in the whole history.
  const everything = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  await git(['fetch', '--quiet', '--end-of-options', remote, ...everything])
  await succeeds(git(['fetch', '--quiet', '--end-of-options', remote, '+HEAD:refs/remotes/origin/HEAD']))
  for (const name of [`refs/remotes/origin/${ref}`, `refs/tags/${ref}`, ref]) {
    const commit = await git(['rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`]).catch(
      unlessFailed,
    )
    if (commit !== undefined) return commit
  }
  await git(['fetch', '--quiet', '--end-of-options', remote, ref])
  return git(['rev-parse', '--verify', '--end-of-options', 'FETCH_HEAD^{commit}'])
}

async function succeeds(step: Promise<string>): Promise<boolean> {
  return (await step.catch(unlessFailed)) !== undefined
}

/** If git fails, another way is tried. If the caller aborts, it is not. */
function unlessFailed(thrown: unknown): undefined {
  if (!JuristError.is(thrown, 'git-failed')) throw thrown
}

/**
 * Removes the history of a checkout and of its submodules. Links are not followed: they may lead to other repositories.
 */
async function removeHistory(directory: string, submodules: boolean): Promise<void> {
  await rm(join(directory, '.git'), { recursive: true, force: true })
  if (!submodules) return
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) await removeHistory(join(directory, entry.name), true)
}

type Limits = Omit<GitOptions, 'cwd'>

/**
 * Everything was fetched into a repository that contains later commits, so another repository gets only the history.
 */
async function historyOf(directory: string, commit: string, limits: Limits): Promise<string> {
  const made = temporaryDirectory()
  try {
    await withGit({ ...limits, cwd: made }, async (git) => {
      await makeHistory(git, { repository: join(directory, '.git'), commit })
      await git(['-c', 'core.logAllRefUpdates=false', 'update-ref', '--no-deref', 'HEAD', commit])
      await git(['read-tree', 'HEAD'])
    })
    return made
  } catch (thrown) {
    await deleteOrWarn(made)
    throw thrown
  }
}

async function moveHistory(from: string, directory: string, limits: Limits): Promise<void> {
  try {
    await cp(join(from, '.git'), join(directory, '.git'), { recursive: true, preserveTimestamps: true })
    await withGit({ ...limits, cwd: directory }, (git) => succeeds(git(['update-index', '-q', '--refresh'])))
  } finally {
    await deleteOrWarn(from)
  }
}

async function narrow(directory: string, checkout: string, path: string): Promise<void> {
  const { absolute, exists } = locate(checkout, path)
  if (!exists || !statSync(absolute).isDirectory()) throw gitFailed(`the commit has no directory ${path}.`)
  const names = readdirSync(absolute)
  for (const name of names) renameSync(join(absolute, name), join(directory, name))
  await rm(checkout, { recursive: true, force: true })
}
