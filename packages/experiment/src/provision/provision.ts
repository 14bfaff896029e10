import type { JsonObject, Workspace, WritableWorkspace } from '@jurist/core'
import type { LocalWorkspaceOptions, Sandbox } from '@jurist/workspace'
import type { DatasetItem } from '../dataset/item.js'
import type { KeptChanges } from '../result/records.js'

/** The workspace of one trial. Disposing it deletes the workspace. */
export interface WorkspaceLease extends AsyncDisposable {
  /** Where the agent works; not shared. */
  readonly workspace: WritableWorkspace
  /** The agent's initial state, read-only; `null` if missing. */
  readonly before: Workspace | null
  /** The right answer, read-only; `null` if missing. */
  readonly reference: Workspace | null
  /** Where the files came from. */
  readonly origin: JsonObject
  /**
   * Copies the present state of the workspace to a directory that must not exist yet; the lease stays usable. Links that
   * leave the workspace are left out with a process warning. A workspace that was replaced, as by a link, is refused.
   *
   * @param options `changes`: only what differs from `before` may be copied, where that is large
   * @returns what is needed to make the workspace again, if only changes were copied
   */
  keepAt(directory: string, options?: { readonly changes?: boolean }): Promise<KeptChanges | undefined>
}

/** How strongly an agent's commands are isolated from the machine. */
export type Isolation = 'none' | 'namespace' | 'container'

/** The trial that needs a workspace. */
export interface ProvisionRequest {
  readonly item: DatasetItem
  /** Counted from 1. */
  readonly repetition: number
  readonly signal: AbortSignal
  /** Called with each attempt of the workspace's commands to reach a host; see `LocalWorkspaceOptions`. */
  readonly onNetwork?: LocalWorkspaceOptions['onNetwork']
}

/** The trial whose workspace was kept. */
export interface ReopenRequest {
  readonly item: DatasetItem
  /** The directory that `keepAt` of its lease wrote. */
  readonly directory: string
  readonly signal: AbortSignal
}

/** Makes the workspace of a trial, a new one for each call. */
export interface Provision {
  (request: ProvisionRequest): Promise<WorkspaceLease>
  /** The isolation in force, for the conditions of a run; absent if unknown. */
  isolation?(): Promise<Isolation>
  /** The hosts that commands may reach; absent without an allow-list. */
  readonly network?: Sandbox['network']
  /** Returns the same provision with further hosts on its allow-list; absent if it has none. */
  allowing?(hosts: readonly string[]): Provision
  /**
   * Makes a workspace from the kept files of a trial, for judges: its commands run as in the trial, with the same
   * packages. Absent if that is impossible.
   */
  reopen?(request: ReopenRequest): Promise<WorkspaceLease>
}
