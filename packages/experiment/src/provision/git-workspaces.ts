import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { copyOf, localWorkspace } from '@jurist/workspace'
import { checkOutHistory, copyInstalled, deleteTree, temporaryDirectory, withGit } from '@jurist/workspace/internal'
import { leavesThroughLink } from '../dataset/contained.js'
import type { GitSource } from '../dataset/item.js'
import { copyWorkspaces } from './copy-workspaces.js'
import { gitOrigin, type Mirrors, repositoryMirrors, timeoutMs } from './git-mirrors.js'
import { leaseOf, type MadeWorkspace } from './lease.js'
import type { Provision } from './provision.js'
import { openViews } from './read-only-workspaces.js'
import { installation, withoutInstalled } from './setup.js'
import {
  networkOf,
  recording,
  type WorkspaceOptions,
  type WorkspaceSettings,
  withImage,
  workspaceRules,
  workspaceSettings,
} from './workspace-options.js'

/** Options of `gitWorkspaces`. */
export interface GitWorkspacesOptions extends WorkspaceOptions {
  /** Where mirrors of repositories are kept. Default: a temporary directory, deleted when the process ends. */
  readonly cacheDirectory?: string
  /** For items whose `before` is not in git. Default `copyWorkspaces()` with the same sandbox, environment and limits. */
  readonly fallback?: Provision
}

/**
 * Provides a git repository for each trial whose item begins at a commit: that commit and its ancestors, without later
 * commits, branches, tags, remotes, reflogs or credentials. Git works in it under any sandbox, unless the item begins in a
 * subdirectory: then `.git` is above the workspace, and only commands without isolation see it.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { completed, gitWorkspaces, runExperiment } from '@jurist/experiment'
 *
 * const agent = async () => completed('done')
 * await runExperiment({ name: 'fix', dataset: 'dataset', agent, provision: gitWorkspaces({ sandbox: 'auto' }) }).result
 */
export function gitWorkspaces(given?: GitWorkspacesOptions): Provision {
  const { cacheDirectory, fallback, setup, ...rest } = checkOptions('gitWorkspaces', given, {
    ...workspaceRules,
    cacheDirectory: option.string,
    fallback: option.function,
  })
  const settings = workspaceSettings(rest)
  const mirrors = repositoryMirrors(cacheDirectory)
  const install = installation('gitWorkspaces', setup)
  const others = fallback ?? copyWorkspaces({ ...rest, setup })
  const provision: Provision = async function gitWorkspaces(request) {
    const { item, signal } = request
    if (item.before?.type !== 'git') return others(request)
    signal.throwIfAborted()
    const chosen = recording(withImage(await settings(), item.image), request)
    const views = await openViews(item, mirrors, chosen, signal)
    try {
      const settings = await install(chosen, views, signal)
      const made = await makeRepository(item.before, mirrors, settings, signal)
      return leaseOf(withoutInstalled(made, settings), views)
    } catch (thrown) {
      await views[Symbol.asyncDispose]()
      throw thrown
    }
  }
  return Object.assign(provision, {
    ...networkOf(given, gitWorkspaces),
    isolation: async () => (await settings()).isolation,
    reopen: others.reopen?.bind(others),
  })
}

async function makeRepository(
  source: GitSource,
  mirrors: Mirrors,
  { options }: WorkspaceSettings,
  signal: AbortSignal,
): Promise<MadeWorkspace> {
  const directory = temporaryDirectory()
  try {
    const tree = join(directory, 'tree')
    const { commit, history } = await mirrors.use(source, signal, async (mirror) => ({
      commit: mirror.commit,
      history: await mirror.history(),
    }))
    const made = await copyOf(history, { to: tree, ignore: [], signal })
    made.keep()
    await withGit({ cwd: tree, timeoutMs, signal }, (git) => checkOutHistory(git, commit))
    const root = subDirectoryOf(tree, source.subDirectory)
    const laid = options.installed && (await copyInstalled(root, options.installed, signal))
    const local = localWorkspace(root, options)
    const workspace = {
      ...local,
      async [Symbol.asyncDispose]() {
        await local[Symbol.asyncDispose]()
        await laid?.takeBack()
        await deleteTree(directory)
      },
    }
    // The history is not part of the agent's work.
    return { workspace, origin: gitOrigin(source, commit), rootToKeep: () => local.root, notKept: ['.git'] }
  } catch (thrown) {
    await deleteTree(directory)
    throw thrown
  }
}

/** The subdirectory may be a link in the repository that leads anywhere. */
function subDirectoryOf(tree: string, path: string | null): string {
  if (path === null) return tree
  const directory = join(tree, path)
  if (!leavesThroughLink(realpathSync(tree), directory)) return directory
  throw new JuristError('path-escape', `${path} is a link that leaves the repository. Name a directory of it.`, {
    path,
  })
}
