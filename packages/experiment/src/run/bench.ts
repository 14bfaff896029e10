import type { Failure, Jury } from '@jurist/core'
import type { PreparedKnowledge } from '../provision/knowledge.js'
import type { Provision } from '../provision/provision.js'
import type { ItemFailure, ItemResult } from '../result/records.js'
import type { Tell } from './event-log.js'
import type { Gate } from './gate.js'
import type { Preserve } from './limits.js'
import type { Settings } from './settings.js'
import type { Stopping } from './stopping.js'

/** What all trials of a run share: the bench they are tried on. */
export interface Bench {
  readonly runId: string
  readonly settings: Settings
  readonly jury: Jury | null
  readonly provision: Provision
  readonly knowledge: PreparedKnowledge | null
  /** The agent's variables. */
  readonly env: { readonly [name: string]: string }
  /** The directory of the run; `null` when the store keeps no files. */
  readonly directory: string | null
  readonly preserve: Preserve
  /** Whether an earlier process may have left files of a trial. */
  readonly resumed: boolean
  readonly stopping: Stopping
  /** Lets juries through. */
  readonly judging: Gate
  readonly tell: Tell
  warn(code: string, message: string, itemId: string | null): void
  /** A failure, and whether the surroundings are to blame. */
  classify(failure: Failure, origin: ItemFailure['origin']): ItemFailure
  /** Keeps a trial that has ended; it is durable when this resolves. */
  append(item: ItemResult): Promise<void>
}
