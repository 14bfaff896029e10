import type { JsonObject, Workspace, WritableWorkspace } from '@jurist/core'
import type { DatasetItem } from '../dataset/item.js'

/** What one trial is lent. Disposing it takes the workspace away. */
export interface WorkspaceLease extends AsyncDisposable {
  /** Where the agent works; nobody else's. */
  readonly workspace: WritableWorkspace
  /** What the agent begins with, read-only; `null` when it begins with nothing. */
  readonly before: Workspace | null
  /** The right answer, read-only, where there is one. */
  readonly reference: Workspace | null
  /** Where the files came from. */
  readonly origin: JsonObject
  /**
   * Copies the present state of the workspace to a directory that must not exist yet; the lease stays usable. Links that
   * leave the workspace are left out with a process warning.
   */
  keepAt(directory: string): Promise<void>
}

/** How strongly commands of an agent are kept apart from the machine. */
export type Isolation = 'none' | 'namespace' | 'container'

/** What a workspace is wanted for. */
export interface ProvisionRequest {
  readonly item: DatasetItem
  /** Counted from 1. */
  readonly repetition: number
  readonly signal: AbortSignal
}

/** Makes the workspace of a trial, a fresh one for each call. */
export interface Provision {
  (request: ProvisionRequest): Promise<WorkspaceLease>
  /** The isolation in force, for the conditions of a run; absent: not known. */
  isolation?(): Promise<Isolation>
}
