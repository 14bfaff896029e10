import type { TrialName } from '../result/trial-figures.js'
import type { Documents } from '../store/documents.js'

/**
 * The functions that a database provides so that `storeOver` can make a result store of it. Strings are kept unchanged
 * and are not parsed: they are JSON in which the order of keys counts. Ids and names are checked before they get here.
 * None of the functions needs `this`. Failures are thrown as a `JuristError` with the code `store-failed`.
 */
export interface StoreBackend {
  /** Adds a run that the caller holds. Of two callers with one id, one gets it. */
  add(run: NewRun): Promise<RunHold | Refusal>
  /** Holds a run for one writer. */
  hold(id: string): Promise<RunHold | Refusal>
  /** Adds a whole run, or replaces it with its trials, for every reader in one step. Whether it is excluded stays. */
  replace(run: WholeRun): Promise<undefined | Refusal>
  /**
   * A run and its trials in one step, in the order in which they were first written; `undefined` when unknown.
   *
   * @param texts which text of each trial
   */
  read(id: string, texts: 'records' | 'figures' | 'nothing'): Promise<ReadRun | undefined>
  /** The records of some trials, in the order asked for. Unknown ones are left out. */
  records(id: string, trials: readonly TrialName[]): Promise<readonly string[]>
  /** All runs, or those of one experiment, in any order. */
  list(experimentName: string | undefined): Promise<readonly ListedRun[]>
  /** Removes a run with everything kept of it. */
  remove(id: string): Promise<undefined | Refusal>
  /** Notes why a run is left out of lists; `null` takes it in again. `false` when unknown. */
  exclude(id: string, reason: string | null): Promise<boolean>
  /** Named strings of one kind. Those of `RunLinesKind` are named like runs, and removed with them. */
  documents(kind: 'sessions' | 'sweeps' | RunLinesKind): Documents<string>
  /** Closes connections and files of the backend. Every hold has been released. */
  close(): Promise<void>
}

/** The records that are kept beside a run as lines: labels, findings of the last scan, and people's settlements of them. */
export type RunLinesKind = 'labels' | 'findings' | 'settlements'

/** Why a backend did not do something. */
export type Refusal =
  | { readonly refused: 'exists' | 'unknown' }
  /** Another writer holds the run. */
  | { readonly refused: 'locked'; readonly holder?: RunHolder }

/** The process that writes a run. */
export interface RunHolder {
  readonly pid: number
  readonly host: string
}

/** A run that one writer holds until it releases it, or dies. */
export interface RunHold {
  /**
   * Stores trials, and a changed head, in one step; resolves when that is durable. A trial takes the place of a stored one of
   * the same item and repetition only where that is undecided. No two of `trials` are the same one. Never called again before
   * it has resolved.
   *
   * @returns `false` when another writer holds the run now: then nothing was stored
   */
  write(change: { readonly trials: readonly TrialRow[]; readonly head?: HeadRow }): Promise<boolean>
  /** Lets another writer hold the run. Does nothing where one does already. */
  release(): Promise<void>
}

/** A run without its trials. */
export interface HeadRow {
  readonly head: string
  /** The list entry of a run that has ended; `null` while it is unknown. */
  readonly entry: string | null
}

/** A trial. */
export interface TrialRow extends TrialName {
  /** Whether it passed or failed: then it is never replaced. */
  readonly decided: boolean
  readonly record: string
  /** A short string with the figures of the record. */
  readonly figures: string
}

/** A run that begins. */
export interface NewRun extends HeadRow {
  readonly id: string
  readonly experimentName: string
}

/** A run with all its trials. */
export interface WholeRun extends NewRun {
  readonly trials: readonly TrialRow[]
}

/** The state of a run that a backend keeps in addition to its strings. */
export interface KnownRun {
  /** Whether a writer holds it. */
  readonly held: boolean
  /** Why it is left out of lists, or `null`. */
  readonly excluded: string | null
}

/** A run as it is read. */
export interface ReadRun extends KnownRun {
  readonly head: string
  readonly trials: readonly string[]
}

/** A run in a list. */
export interface ListedRun extends KnownRun {
  readonly id: string
  readonly entry: string | null
}
