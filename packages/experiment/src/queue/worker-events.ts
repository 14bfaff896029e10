import type { ItemResult } from '../result/records.js'
import type { LeasedTrial } from '../store/trial-queue.js'

/** What a worker does. */
export type WorkerEvent =
  | { readonly type: 'worker-start'; readonly worker: string }
  | {
      readonly type: 'run-joined'
      readonly run: string
      readonly experimentName: string
      readonly variant: string | null
    }
  /** It takes no trial of this run. */
  | { readonly type: 'run-refused'; readonly run: string; readonly reason: string }
  | { readonly type: 'trial-start'; readonly trial: LeasedTrial }
  /** `stored: 'lost'`: another worker has the trial, and this result is dropped. */
  | {
      readonly type: 'trial-end'
      readonly trial: LeasedTrial
      readonly result: ItemResult
      readonly stored: 'stored' | 'lost'
    }
  /** The trial was ended, and other workers can take it. */
  | { readonly type: 'trial-left'; readonly trial: LeasedTrial; readonly reason: string }
  | { readonly type: 'warning'; readonly message: string }

/** What a worker did. */
export interface WorkerSummary {
  readonly stored: number
  /** Results that were dropped, since another worker had taken the trial over. */
  readonly lost: number
  /** Trials that were ended without a result. */
  readonly left: number
}
