import { lstatSync } from 'node:fs'
import { lstat, readlink, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { JuristError, type WritableWorkspace } from '@jurist/core'
import { deleteTree, type Git, temporaryDirectory, withGit } from '@jurist/workspace/internal'
import { gitFailure } from '../git/open-repository.js'

/** The program that applied a patch, or the reason why it was refused. */
export type Applied = { readonly by: 'git' | 'patch' } | { readonly refused: string }

const timeoutMs = 300_000

/**
 * Applies a recorded patch to a workspace as the harness of SWE-bench does: with `git apply`, otherwise with `patch`,
 * which finds lines that have moved. The patch is untrusted: git refuses paths that leave the workspace or lead through
 * links or into `.git`; links that lead out of the workspace are refused here.
 *
 * @throws `provision-failed` for a workspace without a directory
 */
export async function applyPatch(workspace: WritableWorkspace, patch: string, signal: AbortSignal): Promise<Applied> {
  const { root } = workspace
  if (patch.trim() === '') return { refused: 'The patch is empty.' }
  if (root === undefined)
    throw new JuristError('provision-failed', 'A patch needs a workspace in a directory of this machine.', {
      directory: '',
      reason: 'it has no directory',
    })
  const text = patch.endsWith('\n') ? patch : `${patch}\n`
  const refused = await appliedByGit(root, text, signal)
  if (refused === undefined) return { by: 'git' }
  const isGits = /^(?:old|new|new file|deleted file) mode 1[26]0000/m.test(text)
  if (refused.isLink || isGits || !namesOnlyPlainFiles(text, root))
    return { refused: `The patch does not apply: ${refused.said}` }
  if (await appliedByPatch(workspace, text, signal)) return { by: 'patch' }
  return { refused: `The patch does not apply: ${refused.said}` }
}

async function appliedByGit(root: string, patch: string, signal: AbortSignal) {
  const directory = temporaryDirectory()
  try {
    const file = join(directory, 'change.patch')
    await writeFile(file, patch)
    return await withGit({ cwd: root, timeoutMs, maxOutputBytes: 64 * 1024 * 1024, signal }, async (git) => {
      // A separate repository, because that of the workspace, or one above it, could redirect paths.
      await git(['init', '--quiet', '--end-of-options', join(directory, 'own')])
      const apply = ['--git-dir', join(directory, 'own', '.git'), '--work-tree', root, 'apply', '--whitespace=nowarn']
      const said = await failureOf(git, [...apply, file])
      if (said !== undefined) return { said, isLink: false }
      const link = await leavingLink(root, (await git([...apply, '--numstat', '-z', file])).split('\0'))
      if (link === undefined) return undefined
      await git([...apply, '--reverse', file])
      return { said: `the link ${link} leads out of the workspace`, isLink: true }
    })
  } finally {
    await deleteTree(directory)
  }
}

/** Returns the first line of git's error output; `undefined` if it succeeded. */
async function failureOf(git: Git, args: readonly string[]): Promise<string | undefined> {
  try {
    await git(args)
    return undefined
  } catch (thrown) {
    return (
      gitFailure(thrown)
        .replace(/^error: /, '')
        .split('\n', 1)[0] ?? ''
    )
  }
}

/** Returns the first changed path that is a link out of the workspace. */
async function leavingLink(root: string, numbers: readonly string[]): Promise<string | undefined> {
  for (const line of numbers) {
    const path = line.split('\t')[2]
    if (path === undefined) continue
    const place = join(root, path)
    if ((await lstat(place).catch(() => undefined))?.isSymbolicLink() !== true) continue
    const target = await readlink(place)
    const way = relative(root, resolve(dirname(place), target))
    if (isAbsolute(target) || way === '..' || way.startsWith('../')) return path
  }
  return undefined
}

/** Whether `patch` applied it. A dry run comes first, so that a failure leaves nothing behind. */
async function appliedByPatch(workspace: WritableWorkspace, patch: string, signal: AbortSignal): Promise<boolean> {
  const name = '.jurist-recorded.patch'
  await workspace.write(name, patch)
  try {
    const asked = ['--batch', '--forward', '--fuzz=5', '-u', '-p1', '--no-backup-if-mismatch', '-r', '-', '-i', name]
    for (const words of [['--dry-run', ...asked], asked]) {
      const { status, exitCode } = await workspace.run(['patch', ...words], { timeoutMs, signal })
      if (status === 'aborted') signal.throwIfAborted()
      if (status !== 'exited' || exitCode !== 0) return false
    }
    return true
  } finally {
    await workspace.remove(name)
  }
}

/** Lines of a patch that name a file. */
const naming = /^(?:(?:---|\+\+\+|\*\*\*|Index:) |(?:rename|copy) (?:from|to) |diff --git )/

/**
 * Whether a patch is safe for `patch`, which checks less than git: every file that it names must be in the workspace,
 * outside any `.git`, and not reached through a link.
 */
function namesOnlyPlainFiles(patch: string, root: string): boolean {
  const lines = patch.split('\n').filter((line) => naming.test(line))
  return lines.length > 0 && lines.flatMap(namesIn).every((name) => isPlain(name, root))
}

/** Returns the names in such a line. `-p1` drops the first part of a name, except for renamed files. */
function namesIn(line: string): readonly string[] {
  const rest = line.replace(naming, '')
  if (line.startsWith('diff --git ')) return rest.split(' ')
  return [rest.split('\t', 1)[0] ?? '']
}

function isPlain(name: string, root: string): boolean {
  const path = name.replace(/\r$/, '').trim()
  if (path === '/dev/null') return true
  const parts = path.split('/')
  if (path.startsWith('/') || /["\\\0]/.test(path)) return false
  if (parts.some((part) => part === '..' || part.toLowerCase() === '.git')) return false
  return [parts, parts.slice(1)].every((some) => !leadsThroughLink(some, root))
}

function leadsThroughLink(parts: readonly string[], root: string): boolean {
  return parts.some((_, at) => {
    const place = join(root, ...parts.slice(0, at + 1))
    return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
  })
}
