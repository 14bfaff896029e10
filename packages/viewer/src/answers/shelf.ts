import type { ExperimentResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'

/** Where answers come from: a store behind a server, or the results inside a static report. */
export interface Shelf {
  /** Entries of all runs, newest first. */
  readonly entries: () => Promise<readonly RunEntry[]>
  /** A run; `undefined` when there is none of this id. */
  readonly run: (id: string) => Promise<ExperimentResult | undefined>
}
