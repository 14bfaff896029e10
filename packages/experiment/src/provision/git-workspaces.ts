import { realpathSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkOptions, JuristError, option } from '@jurist/core'
import { localWorkspace } from '@jurist/workspace'
import { leavesThroughLink } from '../dataset/contained.js'
import { copyWorkspaces } from './copy-workspaces.js'
import { git } from './git.js'
import { type GitItemSource, gitOrigin } from './git-source.js'
import { leaseOf, type MadeWorkspace } from './lease.js'
import { type Mirror, type Mirrors, repositoryMirrors } from './mirrors.js'
import type { Provision } from './provision.js'
import { openViews } from './views.js'
import {
  type WorkspaceOptions,
  type WorkspaceSettings,
  workspaceRules,
  workspaceSettings,
} from './workspace-options.js'

/** How `gitWorkspaces` provides. */
export interface GitWorkspacesOptions extends WorkspaceOptions {
  /** `worktree` (default): a detached worktree of the mirror; `clone`: a clone that borrows the mirror's objects. */
  readonly strategy?: Strategy
  /** Where mirrors of repositories are kept. Default: a temporary directory, deleted when the process ends. */
  readonly cacheDirectory?: string
  /** For items whose `before` is not in git. Default `copyWorkspaces()` with the same sandbox, environment and limits. */
  readonly fallback?: Provision
}

type Strategy = 'worktree' | 'clone'

/**
 * Gives each trial whose item begins at a commit a git repository at that commit, history included. The agent sees no
 * remote and no credentials.
 *
 * @throws `option-invalid`
 *
 * @example
 * runExperiment({ name: 'fix', dataset: 'dataset', agent, provision: gitWorkspaces({ strategy: 'clone' }) })
 */
export function gitWorkspaces(given?: GitWorkspacesOptions): Provision {
  const {
    strategy = 'worktree',
    cacheDirectory,
    fallback,
    ...rest
  } = checkOptions('gitWorkspaces', given, {
    ...workspaceRules,
    strategy: option.oneOf('worktree', 'clone'),
    cacheDirectory: option.string,
    fallback: option.function,
  })
  const settings = workspaceSettings(rest)
  const mirrors = repositoryMirrors(cacheDirectory)
  const others = fallback ?? copyWorkspaces(rest)
  const provision: Provision = async function gitWorkspaces(request) {
    const { item, signal } = request
    if (item.before?.type !== 'git') return others(request)
    signal.throwIfAborted()
    const chosen = await settings()
    const views = await openViews(item, mirrors, chosen, signal)
    try {
      return leaseOf(await makeRepository(item.before, strategy, mirrors, chosen, signal), views)
    } catch (thrown) {
      await views[Symbol.asyncDispose]()
      throw thrown
    }
  }
  return Object.assign(provision, { isolation: async () => (await settings()).isolation })
}

async function makeRepository(
  source: GitItemSource,
  strategy: Strategy,
  mirrors: Mirrors,
  { options }: WorkspaceSettings,
  signal: AbortSignal,
): Promise<MadeWorkspace> {
  const directory = await mkdtemp(join(tmpdir(), 'jurist-'))
  try {
    const tree = join(directory, 'tree')
    const mirror = await mirrors.use(source, signal, async (mirror) => {
      await addRepository[strategy](mirror, tree, signal)
      return mirror
    })
    const local = localWorkspace(subDirectoryOf(tree, source.subDirectory), options)
    const workspace = {
      ...local,
      async [Symbol.asyncDispose]() {
        await local[Symbol.asyncDispose]()
        await rm(directory, { recursive: true, force: true, maxRetries: 3 })
        // Never interrupted: a worktree that is gone must not stay in the mirror's list.
        if (strategy === 'worktree')
          await mirrors.use(source, new AbortController().signal, () =>
            git(['--git-dir', mirror.directory, 'worktree', 'prune']),
          )
      },
    }
    // `.git` leads to the mirror, which is no part of the agent's work.
    return { workspace, origin: gitOrigin(source, mirror.commit), rootToKeep: () => local.root, notKept: ['.git'] }
  } catch (thrown) {
    await rm(directory, { recursive: true, force: true })
    throw thrown
  }
}

/** A link in the repository may call itself the subdirectory and lead anywhere. */
function subDirectoryOf(tree: string, path: string | null): string {
  if (path === null) return tree
  const directory = join(tree, path)
  if (!leavesThroughLink(realpathSync(tree), directory)) return directory
  throw new JuristError('path-escape', `${path} is a link that leaves the repository. Name a directory of it.`, {
    path,
  })
}

type AddRepository = (mirror: Mirror, to: string, signal: AbortSignal) => Promise<unknown>

const addRepository: { readonly [strategy in Strategy]: AddRepository } = {
  worktree: ({ directory, commit }, to, signal) =>
    git(['--git-dir', directory, 'worktree', 'add', '--quiet', '--detach', to, commit], { signal }),
  async clone({ directory, commit }, to, signal) {
    await git(['clone', '--quiet', '--shared', '--no-checkout', '--', directory, to], { signal })
    await git(['-C', to, 'remote', 'remove', 'origin'], { signal })
    await git(['-C', to, 'checkout', '--quiet', '--detach', commit, '--'], { signal })
  },
}
