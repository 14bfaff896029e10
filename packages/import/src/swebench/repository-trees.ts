import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deleteTree, type Git, temporaryDirectory, withGit } from '@jurist/workspace/internal'
import { gitFailure } from '../git/open-repository.js'
import { type ProjectRoot, projectRoot } from '../git/project-commands.js'
import type { Instance } from './instances.js'

/** The commits of an instance, without a history. */
export interface InstanceTrees {
  /** The commit with the files of the base commit. */
  readonly before: string
  /** The commit with the patch and the tests. */
  readonly reference: string
  /** Files that the test patch added or changed. */
  readonly testFiles: readonly string[]
  /** Files that the test patch deleted. */
  readonly deleted: readonly string[]
  readonly root: ProjectRoot
}

/** The trees of instances, or the reason why there are none. */
export type MadeTrees = ReadonlyMap<string, InstanceTrees | { readonly problem: string }>

interface Making {
  /** The repository that contains the base commits. */
  readonly clone: string
  /** The bare repository to create. */
  readonly target: string
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

const gitTimeoutMs = 3_600_000

/**
 * Creates a repository with two commits for each instance: the agent's initial state and the correct solution. Neither
 * has a parent, so nothing in a workspace leads to the solution. Patches are applied to the index of a repository
 * without a work tree, so that they cannot write files.
 */
export async function makeTrees(
  instances: readonly Instance[],
  { clone, target, signal, onProgress }: Making,
): Promise<MadeTrees> {
  const directory = temporaryDirectory()
  const limits = { timeoutMs: gitTimeoutMs, maxOutputBytes: 256 * 1024 * 1024, signal }
  const made = new Map<string, InstanceTrees | { readonly problem: string }>()
  try {
    await withGit({ ...limits, cwd: directory }, async (git) => {
      await git(['init', '--quiet', '--bare', '.'])
      // The objects of the clone are used in place.
      const objects = await git(['-C', clone, 'rev-parse', '--path-format=absolute', '--git-path', 'objects'])
      await writeFile(join(directory, 'objects', 'info', 'alternates'), `${objects}\n`)
      for (const [at, instance] of instances.entries()) {
        made.set(instance.instance_id, await treesOf(git, instance, directory).catch((thrown) => unmade(thrown)))
        onProgress(at + 1)
      }
    })
    await withGit({ ...limits, cwd: directory }, async (git) => {
      await git(['init', '--quiet', '--bare', '--end-of-options', target])
      const fetch = async (refs: string): Promise<void> => {
        const asked = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', directory]
        await git(['--git-dir', target, ...asked, `+refs/items/${refs}:refs/items/${refs}`])
      }
      await fetch('*').catch(async (thrown) => {
        reasonIn(thrown)
        // Files that the clone lacks are noticed only here. Instances are fetched one by one, so that incomplete ones
        // do not affect the others.
        for (const { instance_id: id } of instances.filter((one) => 'before' in (made.get(one.instance_id) ?? {})))
          await fetch(`${id}/*`).catch((thrown) => made.set(id, unmade(thrown)))
      })
    })
  } finally {
    await deleteTree(directory)
  }
  return made
}

async function treesOf(
  git: Git,
  instance: Instance,
  directory: string,
): Promise<InstanceTrees | { readonly problem: string }> {
  const { instance_id: id, base_commit: baseCommit, patch, test_patch: testPatch } = instance
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${baseCommit}^{commit}`]
  const commit = await git(asked).catch((thrown) => void gitFailure(thrown))
  if (commit === undefined) return { problem: `the clone has no commit ${baseCommit}` }
  await git(['read-tree', commit])
  const base = await git(['write-tree'])
  const before = await commitOf(git, base, directory, `refs/items/${id}/before`)
  for (const [name, text] of [
    ['test_patch', testPatch],
    ['patch', patch],
  ] as const) {
    const problem = await apply(git, text, directory)
    if (problem !== undefined) return { problem: `${name} does not apply: ${problem}` }
    if (name === 'test_patch')
      await git(['update-ref', `refs/tests/${id}`, await commitOf(git, await git(['write-tree']), directory)])
  }
  const reference = await commitOf(git, await git(['write-tree']), directory, `refs/items/${id}/reference`)
  const changed = await git(['diff-tree', '-r', '-z', '--no-renames', '--name-status', before, `refs/tests/${id}`])
  return { before, reference, ...changesOf(changed), root: await projectRoot(git, before) }
}

function unmade(thrown: unknown): { readonly problem: string } {
  return { problem: `its files cannot be made: ${reasonIn(thrown)}` }
}

/** Returns the first line of git's error output. Other exceptions are rethrown. */
export function reasonIn(thrown: unknown): string {
  return gitFailure(thrown).split('\n', 1)[0] || 'git does not say why'
}

/** Returns the reason why a patch does not apply; `undefined` if it does. */
async function apply(git: Git, patch: string, directory: string): Promise<string | undefined> {
  if (patch.trim() === '') return undefined
  const file = join(directory, 'change.patch')
  await writeFile(file, patch.endsWith('\n') ? patch : `${patch}\n`)
  try {
    await git(['apply', '--cached', '--whitespace=nowarn', file])
    return undefined
  } catch (thrown) {
    return reasonIn(thrown)
  }
}

/** Commits a tree. The hash depends only on the files, not on a time or a person. */
async function commitOf(git: Git, tree: string, directory: string, ref?: string): Promise<string> {
  const file = join(directory, 'commit.txt')
  const who = 'Jurist <jurist@localhost> 0 +0000'
  await writeFile(file, `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nFiles of an instance\n`)
  const commit = await git(['hash-object', '-t', 'commit', '-w', file])
  if (ref !== undefined) await git(['update-ref', ref, commit])
  return commit
}

function changesOf(output: string): Pick<InstanceTrees, 'testFiles' | 'deleted'> {
  const parts = output.split('\0')
  const testFiles: string[] = []
  const deleted: string[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [status, path] = [parts[at], parts[at + 1]]
    if (path !== undefined && path !== '') (status === 'D' ? deleted : testFiles).push(path)
  }
  return { testFiles, deleted }
}

/** The possible directories of a clone of `owner/name`, below the directory of clones. */
function placesOf(repo: string): readonly string[] {
  const flat = repo.replace('/', '__')
  const name = repo.split('/')[1] ?? repo
  return [repo, flat, name].flatMap((place) => [place, `${place}.git`])
}

/**
 * Finds the clones of repositories below a directory, by repository name. A clone is at `owner/name`, `owner__name` or
 * `name`, with or without `.git`.
 */
export async function findClones(
  directory: string,
  repos: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const repo of repos)
    for (const place of placesOf(repo)) {
      if (found.has(repo)) break
      const clone = join(directory, place)
      if ((await stat(clone).catch(() => undefined))?.isDirectory() === true && (await isRepository(clone, signal)))
        found.set(repo, clone)
    }
  return found
}

/** Whether a directory is the root of a repository, not just inside one. */
async function isRepository(directory: string, signal: AbortSignal): Promise<boolean> {
  const asked = ['rev-parse', '--is-bare-repository', '--show-prefix']
  try {
    const said = await withGit({ cwd: directory, timeoutMs: 60_000, signal }, (git) => git(asked))
    const [bare, prefix = ''] = said.split('\n')
    return bare === 'true' || prefix === ''
  } catch (thrown) {
    gitFailure(thrown)
    return false
  }
}
