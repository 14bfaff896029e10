import { lstat, mkdir } from 'node:fs/promises'
import { type JsonObject, JuristError, type WritableWorkspace } from '@jurist/core'
import { copyOf } from '@jurist/workspace'
import { type LazyWorkspace, lazyWorkspace } from './lazy-workspace.js'
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
    keepAt: (directory) => keepWorkspace(rootToKeep(), directory, notKept),
    [Symbol.asyncDispose]: () => disposeOf(workspace, views),
  }
}

const emptyOrigin: JsonObject = Object.freeze({ kind: 'empty' })

/** The lease of a workspace that begins empty. Nothing of it is made before it is used: thousands of items have no files. */
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
    keepAt: (directory) => keepWorkspace(opened?.isMade() ? opened.root : undefined, directory),
    [Symbol.asyncDispose]: () => disposeOf(opened, views),
  }
}

async function disposeOf(workspace: AsyncDisposable | undefined, views: Views): Promise<void> {
  try {
    await workspace?.[Symbol.asyncDispose]()
  } finally {
    await views[Symbol.asyncDispose]()
  }
}

/**
 * Copies the present state of a workspace to a directory that must not exist.
 *
 * @param root the workspace; `undefined` when it is empty and has no directory
 * @throws `provision-failed` if the directory exists
 */
async function keepWorkspace(root: string | undefined, directory: string, skip: readonly string[] = []): Promise<void> {
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
    return
  }
  const copy = await copyOf(root, { to: directory, ignore: skip.map((name) => `/${name}`), misfits: 'leave-out' })
  copy.keep()
  await copy[Symbol.asyncDispose]()
}
