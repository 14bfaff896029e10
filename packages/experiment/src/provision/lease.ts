import { lstat, mkdir } from 'node:fs/promises'
import { type JsonObject, JuristError, type SharedWorkspace, type WritableWorkspace } from '@jurist/core'
import { emptyWorkspace } from '@jurist/core/internal'
import { copyOf, type LocalWorkspace, type LocalWorkspaceOptions, localWorkspace } from '@jurist/workspace'
import { deleteTree, judgeView, ownRoot, temporaryDirectory, type ViewSource } from '@jurist/workspace/internal'
import type { KeptChanges } from '../result/records.js'
import { keepChanges } from './kept-changes.js'
import type { WorkspaceLease } from './provision.js'
import { noViews, type Views } from './read-only-workspaces.js'
import type { WorkspaceSettings } from './workspace-options.js'

/** A workspace that was made for one trial. Disposing it takes its directory away. */
export interface MadeWorkspace {
  readonly workspace: WritableWorkspace & AsyncDisposable
  readonly origin: JsonObject
  /** The directory to copy when the workspace is kept; `undefined` when none was ever made. */
  readonly rootToKeep: () => string | undefined
  /** Entries of the root that are not part of the agent's work. */
  readonly notKept?: readonly string[]
}

/** The lease of a workspace, with its read-only companions. */
export function leaseOf({ workspace, origin, rootToKeep, notKept }: MadeWorkspace, views: Views): WorkspaceLease {
  return {
    workspace,
    before: views.before,
    reference: views.reference,
    origin,
    keepAt: (directory, options) =>
      keepWorkspace(rootToKeep(), directory, {
        skip: notKept,
        before: options?.changes ? views.before?.root : undefined,
      }),
    [Symbol.asyncDispose]: () => disposeOf(workspace, views),
  }
}

const emptyOrigin: JsonObject = Object.freeze({ kind: 'empty' })

/**
 * The lease of a workspace that begins empty. Its directory is made on first use, since thousands of items have no files.
 */
export function emptyLease(
  { options }: WorkspaceSettings,
  parentDirectory: string | undefined,
  views: Views = noViews,
): WorkspaceLease {
  let opened: LazyWorkspace | undefined
  return {
    get workspace() {
      opened ??= lazyWorkspace(options, parentDirectory)
      return opened
    },
    before: views.before,
    reference: views.reference,
    origin: emptyOrigin,
    keepAt: (directory) => keepWorkspace(opened?.isMade() ? opened.root : undefined, directory, {}),
    [Symbol.asyncDispose]: () => (opened === undefined ? views[Symbol.asyncDispose]() : disposeOf(opened, views)),
  }
}

async function disposeOf(workspace: AsyncDisposable, views: Views): Promise<void> {
  try {
    await workspace[Symbol.asyncDispose]()
  } finally {
    await views[Symbol.asyncDispose]()
  }
}

/**
 * Copies the present state of a workspace to a directory that must not exist.
 *
 * @param root the workspace; `undefined` when it is empty and has no directory
 * @param options `before`: where the workspace began, if only changes may be copied
 * @throws `provision-failed` if the directory exists, `path-escape` when something else is in the place of the workspace
 */
async function keepWorkspace(
  root: string | undefined,
  directory: string,
  { skip = [], before }: { readonly skip?: readonly string[] | undefined; readonly before?: string | undefined },
): Promise<KeptChanges | undefined> {
  const existing = await lstat(directory).catch(() => undefined)
  if (existing !== undefined) {
    const reason = 'it exists already'
    throw new JuristError('provision-failed', `Cannot keep the workspace at ${directory}: ${reason}. Name a new one.`, {
      directory,
      reason,
    })
  }
  if (root === undefined) {
    await mkdir(directory, { recursive: true })
    return undefined
  }
  const changes = before === undefined ? undefined : await keepChanges(ownRoot(root), directory, { before, skip })
  if (changes !== undefined) return changes
  const copy = await copyOf(ownRoot(root), {
    to: directory,
    ignore: skip.map((name) => `/${name}`),
    misfits: 'leave-out',
  })
  copy.keep()
  await copy[Symbol.asyncDispose]()
  return undefined
}

/** An empty workspace whose directory is made when it is needed. */
interface LazyWorkspace extends WritableWorkspace, SharedWorkspace, AsyncDisposable {
  /** Reading this property makes the directory. */
  readonly root: string
  /** Where its commands run; reading this makes the directory too. */
  readonly sandbox: LocalWorkspace['sandbox']
  isMade(): boolean
}

const nothing = emptyWorkspace()

/**
 * An empty workspace whose directory is made on first use: when something is written or run, or `root` is read. Until
 * then it behaves as an empty directory; thousands of items have no files. Disposal deletes the directory, if there is
 * one.
 */
function lazyWorkspace(options: LocalWorkspaceOptions, parentDirectory?: string): LazyWorkspace {
  let made: LocalWorkspace | undefined
  const local = (): LocalWorkspace => {
    made ??= localWorkspace(temporaryDirectory(parentDirectory), options)
    return made
  }
  const source: ViewSource = {
    original: () => made ?? nothing,
    rootToCopy: () => made?.root,
    parentDirectory,
    open: (directory) => localWorkspace(directory, options),
    products: new Set(),
  }
  return Object.freeze<LazyWorkspace>({
    get root() {
      return local().root
    },
    get sandbox() {
      return local().sandbox
    },
    isMade: () => made !== undefined,
    exists: (path) => (made ?? nothing).exists(path),
    isFile: (path) => (made ?? nothing).isFile(path),
    read: (path, options) => (made ?? nothing).read(path, options),
    readBytes: (path, options) => (made ?? nothing).readBytes(path, options),
    list: (options) => (made ?? nothing).list(options),
    run: async (command, options) => local().run(command, options),
    write: async (path, content) => local().write(path, content),
    // Removing a missing file is not an error, and here every file is missing; a bad path is refused.
    remove: async (path) => (made === undefined ? void (await nothing.exists(path)) : made.remove(path)),
    ...(options.judges === 'in-place' ? {} : { forJudge: () => judgeView(source) }),
    async [Symbol.asyncDispose]() {
      if (made === undefined) return
      const { root } = made
      await made[Symbol.asyncDispose]()
      await deleteTree(root)
    },
  })
}
