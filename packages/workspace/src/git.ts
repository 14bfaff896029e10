import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JuristError } from '@jurist/core'
import { runProcess } from './process.js'

/** Runs git and returns its output without the line end. Rejects with `git-failed`. */
export type Git = (args: readonly string[]) => Promise<string>

export interface GitOptions {
  readonly cwd: string
  /** For all calls together, in milliseconds. */
  readonly timeoutMs: number
  /** How much one call may print, in bytes. The middle of a longer output is lost. Default 1 MiB. */
  readonly maxOutputBytes?: number
  readonly signal?: AbortSignal | undefined
  /** Additional environment variables. */
  readonly env?: { readonly [name: string]: string }
}

const keptStderr = 2_048
const passedOn = /^(PATH|HOME|USER|LANG|LC_.*|TMPDIR|SSH_AUTH_SOCK|SSL_CERT_.*|(https?|all|no)_proxy)$/i

/**
 * Calls `work` with a git that runs no hooks, reads no settings of the machine, does not prompt and downloads no LFS
 * files.
 *
 * @throws `git-failed` with the end of git's output, `aborted`
 */
export async function withGit<Value>(options: GitOptions, work: (git: Git) => Promise<Value>): Promise<Value> {
  const noHooks = await mkdtemp(join(tmpdir(), 'jurist-hooks-'))
  const end = performance.now() + options.timeoutMs
  try {
    return await work((args) => runGit(['-c', `core.hooksPath=${noHooks}`, ...args], options, end))
  } finally {
    await rm(noHooks, { recursive: true, force: true })
  }
}

/**
 * Like `withGit`, for the repository around `cwd`, which may be untrusted: its config is not read, so none of the
 * programs that it names run, and nothing in it is changed. Git sees its index, commits, references and working tree.
 *
 * @throws `git-failed`, also outside a repository; `aborted`
 */
export async function readingGit<Value>(options: GitOptions, work: (git: Git) => Promise<Value>): Promise<Value> {
  const repository = repositoryAround(options.cwd)
  if (repository === null) throw gitFailed(`${options.cwd} is not in a repository.`)
  return withView(repository, options, (view) => {
    const { tree } = repository
    const env = { GIT_DIR: view, ...(tree === null ? {} : { GIT_WORK_TREE: tree }) }
    return withGit({ ...options, env }, work)
  })
}

/**
 * Calls `work` with a URL to fetch a repository from. For a repository on this machine, it is a view without its
 * config, which the program that serves it would read.
 */
export async function fetchable<Value>(
  remote: string,
  options: GitOptions,
  work: (remote: string) => Promise<Value>,
): Promise<Value> {
  const repository = localRepository(remote, options)
  return repository === null ? work(remote) : withView(repository, options, work)
}

function localRepository(remote: string, { cwd }: GitOptions): Repository | null {
  const path = remote.startsWith('file:') ? fileURLToPath(remote) : remote
  return repositoryAt(resolve(cwd, path))
}

/**
 * Checks out a commit of a local repository into the empty directory in which git runs, as a repository of its own that shares the
 * objects: neither the config nor the index of the other one is read or changed.
 *
 * @throws `git-failed`, `aborted`
 */
export async function checkOutCommit(repository: Repository, hash: string, options: GitOptions): Promise<void> {
  const own = join(options.cwd, '.git')
  mkdirSync(join(own, 'objects', 'info'), { recursive: true })
  mkdirSync(join(own, 'refs'))
  writeFileSync(join(own, 'HEAD'), `${hash}\n`)
  writeFileSync(join(own, 'objects', 'info', 'alternates'), `${join(commonDirectory(repository), 'objects')}\n`)
  await withGit(options, (git) => git(['reset', '--quiet', '--hard', hash, '--']))
}

/**
 * Does the same for the files of a commit, if its hash is given in full and the repository is on this machine: nothing
 * is fetched.
 *
 * @returns the commit; `undefined` if it must be fetched
 * @throws `git-failed`, `aborted`
 */
export async function filesOfCommit(remote: string, hash: string, options: GitOptions): Promise<string | undefined> {
  const repository = /^[0-9a-f]{40}$/.test(hash) ? localRepository(remote, options) : null
  if (repository === null) return undefined
  const own = join(options.cwd, '.git')
  try {
    await checkOutCommit(repository, hash, options)
    return readFileSync(join(own, 'HEAD'), 'utf8').trim()
  } catch (thrown) {
    await rm(own, { recursive: true, force: true })
    // Another way may find the commit.
    if (JuristError.is(thrown, 'git-failed') && readdirSync(options.cwd).length === 0) return undefined
    throw thrown
  }
}

export interface Repository {
  /** The root of its working tree; `null` for a bare one. */
  readonly tree: string | null
  /** The directory of its `HEAD` and index. */
  readonly directory: string
}

/** Finds the repository around a directory: at the nearest `.git`, or the directory itself if it is bare. */
export function repositoryAround(directory: string): Repository | null {
  try {
    for (let at = realpathSync(directory); ; at = dirname(at)) {
      const found = repositoryAt(at)
      if (found !== null || dirname(at) === at) return found
    }
  } catch {
    return null
  }
}

/**
 * Returns the repository whose root is this directory. A `.git` that is neither the directory of a repository nor leads
 * to one does not count.
 */
function repositoryAt(place: string): Repository | null {
  const inside = join(place, '.git')
  if (lstatSync(inside, { throwIfNoEntry: false })?.isFile()) {
    const named = /^gitdir: (.+?)\s*$/.exec(shortText(inside) ?? '')?.[1]
    return named === undefined ? null : { tree: place, directory: resolve(place, named) }
  }
  if (isRepository(inside)) return { tree: place, directory: inside }
  return isRepository(place) ? { tree: null, directory: place } : null
}

function isRepository(directory: string): boolean {
  const has = (name: string) => lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined
  return has('HEAD') && has('objects') && has('refs')
}

/** Reads a small regular file. */
function shortText(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size <= 65_536 ? readFileSync(path, 'utf8') : undefined
}

/**
 * The settings of a repository that a view keeps: how its files are stored. None of them names a program, a place or a
 * remote.
 */
const keptSettings =
  /^(core\.(repositoryformatversion|bare|filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol|sparsecheckout|sparsecheckoutcone)|extensions\.(objectformat|refstorage))$/

/**
 * Calls `work` with a directory that is a repository with the commits, the references and the index of another, and
 * with a config of our own. An agent, or the author of a dataset, may have written anything to the other's.
 */
async function withView<Value>(
  repository: Repository,
  options: GitOptions,
  work: (view: string) => Promise<Value>,
): Promise<Value> {
  const { directory } = repository
  const common = commonDirectory(repository)
  const view = await mkdtemp(join(tmpdir(), 'jurist-repository-'))
  try {
    const settings = [join(common, 'config'), join(directory, 'config.worktree')].map((file) =>
      settingsIn(file, { ...options, cwd: view }),
    )
    for (const name of ['objects', 'refs', 'info', 'reftable']) linkTo(join(common, name), join(view, name))
    for (const name of ['packed-refs', 'shallow']) copyTo(join(common, name), join(view, name))
    const indexes = readdirSync(directory).filter((name) => name === 'index' || name.startsWith('sharedindex.'))
    for (const name of ['HEAD', ...indexes]) copyTo(join(directory, name), join(view, name))
    writeFileSync(join(view, 'config'), (await Promise.all(settings)).join(''))
    return await work(view)
  } finally {
    await rm(view, { recursive: true, force: true })
  }
}

/** The directory that the working trees of a repository share. */
function commonDirectory({ directory }: Repository): string {
  return resolve(directory, shortText(join(directory, 'commondir'))?.trim() ?? '.')
}

function linkTo(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory()) symlinkSync(from, to, 'junction')
}

function copyTo(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isFile()) copyFileSync(from, to)
}

/** Reads the settings of a config file that a view keeps. Files that it includes are not read. */
async function settingsIn(file: string, options: GitOptions): Promise<string> {
  if (shortText(file) === undefined) return ''
  const listed = await withGit(options, (git) => git(['config', '--file', file, '--no-includes', '--list', '-z']))
  const lines = listed.split('\0').map((entry) => entry.split('\n', 2) as [string, string?])
  return lines
    .filter(([name, value = 'true']) => keptSettings.test(name) && /^\w*$/.test(value))
    .map(([name, value = 'true']) => `[${name.split('.')[0]}]\n${name.split('.')[1]} = ${value}\n`)
    .join('')
}

/** Removes user names and passwords from the URLs in a string. */
export function withoutUserInfo(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/@\s]+@/gi, '$1')
}

export function gitFailed(said: string, remedy = 'Check the repository and the ref.'): JuristError<'git-failed'> {
  const stderr = withoutUserInfo(said.trim()).slice(-keptStderr)
  return new JuristError('git-failed', `git failed: ${stderr} ${remedy}`, { stderr })
}

async function runGit(args: readonly string[], options: GitOptions, end: number): Promise<string> {
  const { cwd, signal, maxOutputBytes = 1_048_576, env } = options
  const launch = {
    file: 'git',
    args: [...always, ...args],
    cwd,
    env: { ...gitEnvironment(), ...env },
    stop: async () => {},
  }
  const { status, exitCode, stdout, stderr, failure } = await runProcess(launch, {
    marker: randomBytes(16).toString('hex'),
    timeoutMs: Math.max(1, end - performance.now()),
    signals: signal === undefined ? [] : [signal],
    stdin: 'ignore',
    maxOutputBytes,
    killAfterMs: 1_000,
  })
  if (status === 'exited' && exitCode === 0) return stdout.trimEnd()
  if (status === 'aborted')
    throw new JuristError('aborted', 'The checkout was stopped.', { reason: String(signal?.reason) })
  if (status === 'timed-out') throw gitFailed('it took too long.', 'Raise "timeoutMs".')
  throw gitFailed(stderr.trim() === '' ? (failure?.message ?? status) : stderr)
}

const always = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'gc.auto=0',
  '-c',
  'core.symlinks=true',
  '-c',
  'advice.detachedHead=false',
]

function gitEnvironment(): { readonly [name: string]: string } {
  const passed = Object.entries(process.env).filter(([name]) => passedOn.test(name))
  return {
    ...Object.fromEntries(passed.map(([name, value]) => [name, value ?? ''])),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  }
}

/** A commit, and its repository. */
export interface HistorySource {
  /** The directory of a repository that has the commit. */
  readonly repository: string
  /** The full hash of the commit. */
  readonly commit: string
}

/** Makes git serve any commit, including one that no branch leads to. */
const anyCommit = 'git -c uploadpack.allowAnySHA1InWant=true upload-pack'

/**
 * Creates a repository, in the directory where git runs, with a commit and its ancestors: no other commit, branch, tag,
 * remote or log, and no object that belongs to them. Nothing is checked out.
 *
 * @throws `git-failed`
 */
export async function makeHistory(git: Git, { repository, commit }: HistorySource): Promise<void> {
  await git(['init', '--quiet'])
  const quietly = [
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    `--upload-pack=${anyCommit}`,
  ]
  await git(['-c', 'protocol.version=2', 'fetch', ...quietly, '--', repository, commit])
}

/** Checks out the commit of such a repository, without a log of it. */
export async function checkOutHistory(git: Git, commit: string): Promise<void> {
  await git(['-c', 'core.logAllRefUpdates=false', 'checkout', '--quiet', '--detach', commit, '--'])
}
