import type { JournalEvent, Judgment } from '@jurist/core'
import type { ItemFailure, ItemResult, RunStatus, StopReason } from '../result/records.js'
import type { Summary } from '../result/summary.js'

/**
 * What happens in a run, as it happens. One `experiment-start` first, one `experiment-end` last; per trial `item-start`
 * (one for each attempt) to `item-end`, in order. When `item-end` is told the trial is durable.
 */
export type ExperimentEvent = {
  /** ISO 8601. */
  readonly at: string
  readonly runId: string
} & (
  | {
      readonly type: 'experiment-start'
      readonly experimentName: string
      readonly variant: string | null
      readonly trials: number
      /** Trials taken over from the run that is resumed. */
      readonly resumed: number
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

/** Which trial an event tells of. */
export interface TrialPlace {
  readonly itemId: string
  readonly repetition: number
}

/** The steps of a trial that are told. */
export type TrialPhase = 'setup' | 'agent' | 'jury' | 'store'

/** Listens to a run. One that throws is switched off with a warning; it never fails a run. */
export type Reporter = (event: ExperimentEvent) => void | Promise<void>
