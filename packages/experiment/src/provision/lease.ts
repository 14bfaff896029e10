import type { JsonObject, WritableWorkspace } from '@jurist/core'
import { keepWorkspace } from './keep.js'
import type { WorkspaceLease } from './provision.js'
import { noViews, type Views } from './read-only-workspaces.js'

/** A workspace that was made for one trial. Disposing it takes its directory away. */
export interface MadeWorkspace {
  readonly workspace: WritableWorkspace & AsyncDisposable
  readonly origin: JsonObject
  /** The directory to copy when the workspace is kept; `undefined` when none was ever made. */
  readonly rootToKeep: () => string | undefined
  /** Entries of the root that are no part of the agent's work. */
  readonly notKept?: readonly string[]
}

/** The lease of a workspace and of what its trial may look at. */
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

async function disposeOf(workspace: AsyncDisposable, views: Views): Promise<void> {
  try {
    await workspace[Symbol.asyncDispose]()
  } finally {
    if (views !== noViews) await views[Symbol.asyncDispose]()
  }
}
