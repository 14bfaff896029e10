import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { runProcess } from './process.js'

/** One call of git: what it printed, without the line end. Rejects with `git-failed`. */
export type Git = (args: readonly string[]) => Promise<string>

export interface GitOptions {
  readonly cwd: string
  /** For all calls together. */
  readonly timeoutMs: number
  /** The most that one call may print. Default 1 MiB; the middle of more is lost. */
  readonly maxOutputBytes?: number
  readonly signal?: AbortSignal | undefined
}

const keptStderr = 2_048
const passedOn = /^(PATH|HOME|USER|LANG|LC_.*|TMPDIR|SSH_AUTH_SOCK|SSL_CERT_.*|(https?|all|no)_proxy)$/i

/**
 * Calls `work` with a git that runs no hooks, reads no settings of the machine, asks nothing and downloads no LFS files.
 *
 * @throws `git-failed` with the end of what git said, `aborted`
 *
 * @example
 * await withGit({ cwd: '.', timeoutMs: 60_000 }, (git) => git(['rev-parse', 'HEAD']))
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

/** A text whose URLs lost their user names and passwords. */
export function withoutUserInfo(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/@\s]+@/gi, '$1')
}

/** The one error of git. */
export function gitFailed(said: string, remedy = 'Check the repository and the ref.'): JuristError<'git-failed'> {
  const stderr = withoutUserInfo(said.trim()).slice(-keptStderr)
  return new JuristError('git-failed', `git failed: ${stderr} ${remedy}`, { stderr })
}

async function runGit(args: readonly string[], options: GitOptions, end: number): Promise<string> {
  const { cwd, signal, maxOutputBytes = 1_048_576 } = options
  const launch = { file: 'git', args: [...always, ...args], cwd, env: gitEnvironment(), stop: async () => {} }
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
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
  }
}

/** Which commit, and where its repository is. */
export interface HistorySource {
  /** The directory of a repository that has the commit. */
  readonly repository: string
  /** Its full hash. */
  readonly commit: string
}

/** So that git gives any commit, also one that no branch leads to. */
const anyCommit = 'git -c uploadpack.allowAnySHA1InWant=true upload-pack'

/**
 * Makes a repository, in the directory where git runs, of a commit and all that led to it: no other commit, branch, tag,
 * remote or log, and no object that belongs to them. Nothing is checked out.
 *
 * @throws `git-failed`
 *
 * @example
 * await withGit({ cwd, timeoutMs }, (git) => makeHistory(git, { repository: '/srv/project.git', commit }))
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
