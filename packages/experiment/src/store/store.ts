import type { DecidedStop, ExperimentResult, ItemResult, RunRecord, RunStatus, StopReason } from '../result/records.js'
import type { Counts, Interval } from '../result/summary.js'
import type { RunOverview, TrialName } from '../result/trial-figures.js'
import type { SessionStore } from './sessions.js'
import type { SweepStore } from './sweeps.js'

/**
 * Where runs are kept. `fileStore` and `memoryStore` are ready; test one of your own with `resultStoreContract`. None of
 * the functions needs `this`: a store may spread one of these and replace some functions.
 */
export interface ResultStore extends AsyncDisposable {
  /**
   * Begins a run: it is `running` until its writer finishes or releases it.
   *
   * @throws `store-failed` when the id exists or the disk refuses, `name-invalid`
   */
  open(manifest: RunManifest): Promise<RunWriter>
  /**
   * Continues a run: returns its stored trials, and a writer for the rest. The run stays unchanged until the first
   * addition.
   *
   * @throws `run-unknown`, `run-locked` while another writer holds it, `record-invalid`
   */
  resume(runId: string): Promise<{
    readonly manifest: RunManifest
    readonly items: readonly ItemResult[]
    readonly writer: RunWriter
  }>
  /** Saves a whole run; a run of the same id is replaced, for every reader in one step. */
  save(run: RunRecord): Promise<void>
  /**
   * A run with its derived summary; `undefined` when unknown. An unfinished run is `running` while it is being written,
   * else `interrupted`.
   *
   * @throws `run-unknown` for a string that is not a run id, `record-invalid`
   */
  load(id: string): Promise<ExperimentResult | undefined>
  /**
   * Like `load`, but with the figures of the trials instead of the items: quick and small for long runs.
   *
   * @throws `run-unknown` for a string that is not a run id, `record-invalid`
   */
  overview(id: string): Promise<RunOverview | undefined>
  /** Entries of runs, newest first. */
  list(query?: RunQuery): AsyncIterable<RunEntry>
  /**
   * The run that started last. Excluded runs are skipped, and so are runs that measure neither an agent nor a judge (such
   * as rejudged ones and probes), unless `kind` selects them.
   */
  mostRecent(experimentName: string, query?: Omit<RunQuery, 'experimentName'>): Promise<ExperimentResult | undefined>
  /**
   * Deletes a run with everything kept of it; `false` when unknown.
   *
   * @throws `run-locked` while it is being written
   */
  remove(id: string): Promise<boolean>
  /**
   * Keeps a run, but leaves it out of lists, `mostRecent`, baselines and sweeps; `null` includes it again. Returns
   * `false` for an unknown id. Optional: absent in stores that cannot do this.
   */
  exclude?(id: string, reason: string | null): Promise<boolean>
  /**
   * Copies the kept files of trials, workspaces and journals to where a store of files in the directory `to` would keep
   * them; existing files stay. A store that keeps no files, or keeps them in a directory, has no such function.
   *
   * @param trials default: all, with everything else that was kept of the run
   * @throws `store-failed`
   */
  fetchFiles?(id: string, to: string, trials?: readonly TrialName[]): Promise<void>
  /**
   * The files that are kept of a run, with their sizes: in a store of files all of them, in a database those beside its
   * records. Links are not followed. `[]` when unknown. A store that keeps no files has no such function.
   *
   * @throws `run-unknown` for a string that is not a run id
   */
  files?(id: string): Promise<readonly KeptFile[]>
  readonly sessions: SessionStore
  readonly sweeps: SweepStore
  /** The labels of trials. A store of files has no such key: they are in `labels.jsonl` in the directory of the run. */
  readonly labels?: RunLines
  /** The findings of the last scan of a whole run. A store without it keeps no findings. */
  readonly findings?: RunLines
  /** The settlements of findings by people. */
  readonly settlements?: RunLines
}

/** Lines of JSON that a store keeps beside a run, and removes with it. */
export interface RunLines {
  /** All lines, oldest first, each with a line feed; an empty string without any. */
  read(run: StoredRunName): Promise<string>
  /** Adds lines at the end. Several processes may do so at the same time: no line is lost. */
  append(run: StoredRunName, lines: string): Promise<void>
  /** Replaces all lines, for every reader in one step. */
  replace(run: StoredRunName, lines: string): Promise<void>
}

/** A run, and the experiment that it belongs to. */
export type StoredRunName = Pick<RunEntry, 'id' | 'experimentName'>

/** A file that a store keeps of a run. */
export interface KeptFile {
  /** Relative to the directory of the run, with `/`. */
  readonly path: string
  readonly bytes: number
}

/** The facts of a run that are known when it begins. */
export interface RunManifest
  extends Omit<RunRecord, 'items' | 'endedAt' | 'durationMs' | 'status' | 'stopReason' | 'decided'> {
  /**
   * Ids of the selected items in the order of the dataset: the order in which trials are read back, whatever finished
   * first. Without it, the order in which items first finished.
   */
  readonly itemOrder?: readonly string[]
}

/** Writes one run; no other writer can until it is finished or released. */
export interface RunWriter {
  readonly runId: string
  /** Absolute; `null` when the store keeps no files. */
  readonly directory: string | null
  /**
   * Resolves when the trial is durable. A trial stored before under the same item and repetition is replaced. The item
   * must not be changed afterwards.
   *
   * @throws `store-failed`; trials stored before are safe
   */
  append(item: ItemResult): Promise<void>
  /** Widens the plan of a resumed run: more repetitions, more items. */
  extend?(plan: { readonly planned: number; readonly itemOrder?: readonly string[] }): Promise<void>
  /** Waits for pending appends, writes the end, releases the run, and returns what `overview` would. */
  finish(end: RunEnd): Promise<RunOverview>
  /** Releases the run without an end: the run is `interrupted` and can be resumed. Does nothing after `finish`. */
  release(): Promise<void>
}

/** How a run ended. */
export interface RunEnd {
  readonly status: Exclude<RunStatus, 'running'>
  readonly stopReason: StopReason | null
  readonly durationMs: number
  readonly decided?: DecidedStop | undefined
}

/** Which runs to list; everything given must hold. */
export interface RunQuery {
  readonly experimentName?: string
  readonly kind?: ExperimentResult['kind']
  readonly status?: RunStatus
  readonly variant?: string
  readonly session?: string
  /** Only runs that started before this instant (ISO 8601). */
  readonly before?: string
  /** By `startedAt`, then id. Default `newest`. */
  readonly order?: 'oldest' | 'newest'
  /** The most that are returned. Default: all. */
  readonly limit?: number
  /** Excluded runs too. Default `false`. */
  readonly includeExcluded?: boolean
}

/** A run in a list: the facts that are known without its items. */
export interface RunEntry {
  readonly id: string
  readonly experimentName: string
  readonly kind: ExperimentResult['kind']
  readonly status: RunStatus
  readonly variant: string | null
  readonly session: string | null
  readonly startedAt: string
  readonly endedAt: string | null
  readonly durationMs: number
  /** The project's commit when the run began. */
  readonly gitCommit: string | null
  readonly counts: Counts
  readonly passRate: number | null
  /** 95 %, as in the summary of the run. */
  readonly passRateInterval: Interval | null
  /** The cost of the agents; `null`: no cost was declared. */
  readonly costUsd: number | null
  readonly judgeCostUsd: number | null
  /** Why the run is left out, or `null`. */
  readonly excluded: string | null
  /** The part of the trials that the run performs; absent: all. */
  readonly shard?: RunRecord['shard']
}
