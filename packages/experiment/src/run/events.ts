import type { JournalEvent, Judgment } from '@jurist/core'
import type { ItemFailure, ItemResult, RunStatus, StopReason } from '../result/records.js'
import type { RunKind } from '../result/run-kind.js'
import type { Summary } from '../result/summary.js'

/**
 * The events of a run: first one `experiment-start`, last one `experiment-end`; for each trial `item-start` (one for each
 * attempt) to `item-end`, in order. The trial is durable when `item-end` is emitted.
 */
export type ExperimentEvent = {
  /** ISO 8601. */
  readonly at: string
  readonly runId: string
} & (
  | {
      readonly type: 'experiment-start'
      readonly experimentName: string
      readonly kind: RunKind
      readonly variant: string | null
      readonly trials: number
      /** Trials taken over from the run that is resumed. */
      readonly resumed: number
      /** Why its trials start in another order than that of the dataset; absent where they do not. */
      readonly startOrder?: string
    }
  | ({ readonly type: 'item-start'; readonly attempt: number } & TrialPlace)
  | ({ readonly type: 'item-phase'; readonly phase: TrialPhase } & TrialPlace)
  | ({ readonly type: 'journal'; readonly event: JournalEvent } & TrialPlace)
  | ({
      readonly type: 'judgment'
      /** RFC 6901 pointer of names within the verdict; `''` is the whole. */
      readonly path: string
      readonly judgment: Judgment
    } & TrialPlace)
  | ({
      readonly type: 'item-retry'
      /** The attempt that failed. */
      readonly attempt: number
      readonly failure: ItemFailure
      readonly delayMs: number
    } & TrialPlace)
  | ({
      readonly type: 'item-end'
      readonly result: ItemResult
      /** Trials that have ended, the resumed ones included. */
      readonly done: number
      readonly trials: number
    } & TrialPlace)
  | { readonly type: 'warning'; readonly code: string; readonly message: string; readonly itemId: string | null }
  | {
      readonly type: 'experiment-stop'
      readonly reason: StopReason
      /** Why, as a sentence. */
      readonly message: string
      readonly remaining: number
    }
  | { readonly type: 'experiment-end'; readonly status: RunStatus; readonly summary: Summary }
)

/** The trial that an event belongs to. */
export interface TrialPlace {
  readonly itemId: string
  readonly repetition: number
}

/** The steps of a trial that have events. */
export type TrialPhase = 'setup' | 'agent' | 'jury' | 'store'

/** Gets the events of a run. A reporter that throws is switched off with a warning; it never fails a run. */
export type Reporter = (event: ExperimentEvent) => void | Promise<void>
