import { mkdir } from 'node:fs/promises'
import type { JsonObject } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { copyOf, type ProvisionOptions } from '@jurist/workspace'
import { type CloneMode, deleteTree, temporaryDirectory } from '@jurist/workspace/internal'
import type { ItemSource } from '../dataset/item.js'
import { checkOut, type Mirrors, repositoryMirrors } from './git-mirrors.js'
import { emptyLease, leaseOf, type MadeWorkspace } from './lease.js'
import type { Provision, ProvisionRequest } from './provision.js'
import { openViews, writtenFiles } from './read-only-workspaces.js'
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

/** Options of `copyWorkspaces`. */
export interface CopyWorkspacesOptions extends WorkspaceOptions {
  /** Where the directories are made. Default: the system's temporary directory. */
  readonly parentDirectory?: string
  /** `auto` (default): copy-on-write where the file system offers it; `reflink`: only so; `copy`: every byte. */
  readonly clone?: CloneMode
}

/**
 * Provides a copy of the item's `before` for each trial: of the directory, or of the commit it names. An item without one
 * gets an empty workspace, whose directory is made when something is written or run. Agents cannot change the dataset.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { completed, copyWorkspaces, runExperiment } from '@jurist/experiment'
 *
 * const agent = async () => completed('done')
 * await runExperiment({ name: 'fix', dataset: 'dataset', agent, provision: copyWorkspaces({ sandbox: 'auto' }) }).result
 */
export function copyWorkspaces(given?: CopyWorkspacesOptions): Provision {
  const {
    parentDirectory,
    clone = 'auto',
    setup,
    ...rest
  } = checkOptions('copyWorkspaces', given, {
    ...workspaceRules,
    parentDirectory: option.string,
    clone: option.oneOf('auto', 'reflink', 'copy'),
  })
  const settings = workspaceSettings(rest, parentDirectory)
  const mirrors = repositoryMirrors()
  const install = installation('copyWorkspaces', setup)
  const provide = async (
    request: Pick<ProvisionRequest, 'item' | 'signal' | 'onNetwork'>,
    files: ItemSource | null,
  ) => {
    const { item, signal } = request
    const chosen = recording(withImage(await settings(), item.image), request)
    if (files === null && item.reference === null) return emptyLease(chosen, parentDirectory)
    signal.throwIfAborted()
    const views = await openViews(item, mirrors, chosen, signal)
    try {
      if (files === null) return emptyLease(chosen, parentDirectory, views)
      const settings = await install(chosen, views, signal)
      const making = { settings, clone, mirrors, parentDirectory, signal }
      return leaseOf(withoutInstalled(await makeWorkspace(files, making), settings), views)
    } catch (thrown) {
      await views[Symbol.asyncDispose]()
      throw thrown
    }
  }
  const provision: Provision = function copyWorkspaces(request) {
    return provide(request, request.item.before)
  }
  return Object.assign<Provision, Omit<Provision, never>>(provision, {
    ...networkOf(given, copyWorkspaces),
    isolation: async () => (await settings()).isolation,
    reopen: (request) => provide(request, { type: 'directory', path: request.directory }),
  })
}

interface Making {
  readonly settings: WorkspaceSettings
  readonly clone: CloneMode
  readonly mirrors: Mirrors
  readonly parentDirectory: string | undefined
  readonly signal: AbortSignal
}

async function makeWorkspace(before: ItemSource, making: Making): Promise<MadeWorkspace> {
  const { settings, clone, mirrors, parentDirectory, signal } = making
  const options: ProvisionOptions & { readonly signal: AbortSignal } = {
    ...settings.options,
    signal,
    ...(parentDirectory === undefined ? {} : { to: await freshDirectory(parentDirectory) }),
  }
  if (before.type === 'git') {
    const { workspace, origin } = await checkOut(before, mirrors, options)
    return { workspace, origin, rootToKeep: () => workspace.root }
  }
  if (before.type === 'directory') {
    const workspace = await copyOf(before.path, { ...options, clone })
    return { workspace, origin: workspace.origin, rootToKeep: () => workspace.root }
  }
  const written = writtenFiles(before)
  try {
    const workspace = await copyOf(written, options)
    return { workspace, origin: filesOrigin, rootToKeep: () => workspace.root }
  } finally {
    await deleteTree(written)
  }
}

const filesOrigin: JsonObject = Object.freeze({ kind: 'files' })

async function freshDirectory(parentDirectory: string): Promise<string> {
  await mkdir(parentDirectory, { recursive: true })
  return temporaryDirectory(parentDirectory)
}
