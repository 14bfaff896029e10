import type { ExperimentResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'

/** Where answers come from: a store behind a server, or the results inside a static report. */
export interface Shelf {
  /** Entries of all runs, newest first. */
  readonly entries: () => Promise<readonly RunEntry[]>
  /** What is damaged or left out, as the store says it. */
  readonly warnings: () => readonly string[]
  /** A run; `undefined` when there is none of this id. */
  readonly run: (id: string) => Promise<ExperimentResult | undefined>
  /**
   * A small value made of a run, such as a row of a table, `undefined` when there is no such run. It is kept under its
   * name for as long as the run does not change, so that many runs can be shown without reading each again.
   */
  readonly derived: <Value>(
    id: string,
    name: string,
    of: (run: ExperimentResult) => Value,
  ) => Promise<Value | undefined>
}
