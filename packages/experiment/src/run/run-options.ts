import type { ExperimentResult } from '../result/records.js'
import type { RunOverview } from '../result/trial-figures.js'
import type { RunSession } from '../store/sessions.js'
import type { TrialQueue } from '../store/trial-queue.js'
import type { ExperimentEvent, Reporter } from './events.js'
import type { ShardOptions } from './trials.js'

/** Options of one run. */
export interface RunExperimentOptions<Variant extends string = string> {
  /** Required when the experiment has variants. */
  readonly variant?: Variant
  /** Cancels the run when it fires. */
  readonly signal?: AbortSignal
  /**
   * A run id; or `latest`: the newest unfinished run of the same name and variant, otherwise a new one. It keeps the items
   * and repetitions that it began with, whatever the options select now.
   */
  readonly resume?: string | 'latest'
  /** With `resume`: trials that decided nothing run again. Default `false`. */
  readonly retryErrors?: boolean
  /** With `resume`: further items and repetitions that the options ask for now are added to the run. Default `false`. */
  readonly widen?: boolean
  /** Run no trial and store nothing. Default `false`. */
  readonly dryRun?: boolean
  /** The session that the run belongs to. */
  readonly session?: string
  /**
   * What the run is for. Default `agent`: to measure its agent. The others say something about the dataset and the jury:
   * they are never `latest`, a baseline, or part of a trend.
   */
  readonly kind?: 'agent' | 'establish' | 'probe' | 'mutate' | 'hook'
  /** Default: a new one. */
  readonly runId?: string
  /** Runs the trials in workers, wherever they are. Default: in this process. */
  readonly distribute?: Distribution
  /** Runs a part of the trials; `mergeRuns` makes one run of all parts. A shard that is resumed stays what it is. Default: all. */
  readonly shard?: ShardOptions
  readonly onEvent?: Reporter
}

/** How the trials of a run are shared with workers. */
export interface Distribution {
  /** It must keep its results where the experiment does, as `postgresStore(…).queue()` does. */
  readonly queue: TrialQueue
  /** What a worker must offer, such as `gpu`. Default none. */
  readonly labels?: readonly string[]
  /** Whether workers must have the same commit of the project. Default `true`. */
  readonly requireSameCommit?: boolean
  /**
   * Milliseconds that a trial of an item takes, by item id: the longest start first, so that no worker is left with one at the
   * end. Items that are not named take the median. Default: as earlier runs of the experiment in the same store have measured;
   * without such a run the items with the longest timeouts first, and those without timeouts in the order of the dataset.
   */
  readonly durations?: Readonly<Record<string, number>>
  /** Whether to end when the run is planned, and not to wait for its workers. Default `false`. */
  readonly detach?: boolean
}

/** A run under way. Iterating gives its events from the first on, for each iterator. */
export interface ExperimentRun extends AsyncIterable<ExperimentEvent>, AsyncDisposable {
  readonly runId: string
  /** The run without its items in memory. Rejects only for a store, a dataset or an option; never an unhandled rejection. */
  readonly overview: Promise<RunOverview>
  /** The run with its items, which are read from the store when this is first used. Rejects like `overview`. */
  readonly result: Promise<ExperimentResult>
  /** No further trial starts; running ones are cancelled and recorded. The run ends `interrupted`. */
  cancel(reason?: string): void
}

/** How a session is made: one run of each variant. */
export interface SessionOptions<Variant extends string = string> {
  /** Default: the instant, `YYYYMMDD-HHMMSS` (UTC). */
  readonly session?: string
  /** Which variants, in this order. Default: all, in the order of their keys. */
  readonly variants?: readonly Variant[]
  /** `item`: item by item all variants, so that drift in time hits them alike. Default `variant`. */
  readonly order?: 'variant' | 'item'
  /** What a variant that rejects does to the session. Default `continue`. */
  readonly onVariantError?: 'continue' | 'stop'
  readonly signal?: AbortSignal
  /**
   * Resumes the session: finished variants are kept, unfinished ones resumed, and the others run with the items and
   * repetitions that the session began with. Default `false`.
   */
  readonly resume?: boolean
  /** With `resume`: trials that decided nothing run again, also those of finished variants. Default `false`. */
  readonly retryErrors?: boolean
  /** With `resume`: further variants, items and repetitions that are asked for now are added. Default `false`. */
  readonly widen?: boolean
  /** Runs the trials in workers, those of all variants at the same time. Default: in this process. */
  readonly distribute?: Distribution
  /** Runs a part of the trials of each variant. It needs `session`, the same for all shards. Default: all. */
  readonly shard?: ShardOptions
  readonly onEvent?: Reporter
}

/** A session under way. */
export interface SessionRun<Variant extends string = string> extends AsyncIterable<ExperimentEvent> {
  readonly session: string
  /** The runs without their items in memory, by variant. */
  readonly overview: Promise<{
    readonly session: RunSession
    readonly results: Readonly<Partial<Record<Variant, RunOverview>>>
  }>
  /** The runs with their items, which are read from the store when this is first used. */
  readonly result: Promise<{
    readonly session: RunSession
    readonly results: Readonly<Partial<Record<Variant, ExperimentResult>>>
  }>
}
