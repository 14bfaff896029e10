import type {
  AgentTask,
  AskThrough,
  Invocation,
  Json,
  JsonObject,
  Judge,
  JudgmentContext,
  Jury,
  Workspace,
  WritableWorkspace,
} from '@jurist/core'
import type { Place } from '@jurist/core/internal'
import type { EnvironmentPolicy } from '@jurist/workspace'
import type { Dataset, DatasetPath } from '../dataset/dataset.js'
import type { InlineItem } from '../dataset/inline-item.js'
import type { DatasetItem, ItemFilter } from '../dataset/item.js'
import type { EfficiencyOptions } from '../efficiency.js'
import type { ExperimentInvocation } from '../invocation.js'
import type { Knowledge } from '../provision/knowledge.js'
import type { Provision } from '../provision/provision.js'
import type { ItemFailure } from '../result/records.js'
import type { AllowAbstain } from '../result/undecided-judges.js'
import type { ResultStore } from '../store/store.js'

/** An agent whose tasks have an `input` of this type. Every agent is one. A string that it returns is its output. */
export type AgentOf<Input = JsonObject | undefined> = (
  task: AgentTask & (undefined extends Input ? { readonly input?: Input } : { readonly input: Input }),
) => Invocation | string | Promise<Invocation | string>

/** Options of an experiment: agent, dataset, jury, repetitions and limits. */
export interface ExperimentOptions<Variant extends string = string, Input = JsonObject | undefined> {
  /** A directory name: 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /** A path for `openDataset`, the same with the names of columns, an open dataset, or its items. */
  readonly dataset: DatasetPath | Dataset | readonly InlineItem<Input>[]
  /** Default: `storedOutputs()`, if every item has an output already. */
  readonly agent?: AgentOf<Input>
  /** Default: none; trials end `not-judged`, to be judged later. A judge alone is a jury of one member. */
  readonly jury?: Jury | Judge
  /**
   * How an item's own judges apply. `join` (default): they form a further member `item` of the jury, and both must pass; in a
   * cascade they are the first tier. `first`: the same, and the jury judges only where they do not fail. `replace`: they alone
   * decide. An item without judges is always judged by the jury.
   */
  readonly itemJury?: 'join' | 'first' | 'replace'
  /**
   * Makes judges of what items describe: `describedJudges()` of `jurist`. The command gives it to the experiments of a
   * config. Default: none; items that describe judges are refused.
   */
  readonly describedJudges?: DescribedJudges
  /**
   * Whether judges of items have the permissions of those of a config: load modules, run commands outside of a sandbox,
   * and describe models. Default `false`: a dataset is data. Items written in the program are always trusted.
   */
  readonly trustItems?: boolean
  /**
   * The template of the prompt. Names in double braces are replaced by values of the item: `task`, `knowledgeRefs` (one a
   * line), `id`, `slug`, `bucket`, `taskType`, `tags` (with commas), `metadata.<key>` and `input.<key>`. `\{{` writes two
   * braces. Default `{{task}}`.
   */
  readonly prompt?: string
  readonly systemPrompt?: string
  readonly model?: string
  /** Milliseconds for the agent. Default 900,000. */
  readonly itemTimeoutMs?: number
  /** Milliseconds for the whole jury of one trial. Default 600,000. */
  readonly judgeTimeoutMs?: number
  /** Milliseconds for provisioning, knowledge and hooks. Default 300,000. */
  readonly setupTimeoutMs?: number
  /** Milliseconds after which no trial starts and running ones are cancelled. Default: no limit. */
  readonly experimentTimeoutMs?: number
  /** Default: the active items. */
  readonly filter?: ItemFilter
  /** Overrides by name: each variant changes one thing. */
  readonly variants?: Readonly<Record<Variant, VariantOverrides<Input>>>
  /** A variant for every combination of values, in addition to `variants`. At most 64. */
  readonly matrix?: Matrix<Input>
  /** How often each item runs. Default 1. */
  readonly repetitions?: number
  /** How many trials run at the same time. Default 4. */
  readonly concurrency?: number
  /** How many juries run at the same time. Default: `concurrency`. */
  readonly judgeConcurrency?: number
  /** Whether trials whose agent timed out or ended in an error are judged. Default `false`. */
  readonly judgeFailedRuns?: boolean
  readonly retries?: Retries
  readonly budget?: Budget
  /** Stop after the first (or the n-th) trial that failed, or that decided nothing. Default `false`. */
  readonly bail?: boolean | number
  /**
   * Stop after this many trials in a row failed because of the infrastructure: a service that is down, a key that is
   * refused, a program that is missing. `false`: never. Default 5.
   */
  readonly maxInfrastructureFailures?: number | false
  /** A string is the directory of a `fileStore`. Default `memoryStore()`: nothing outlives the process. */
  readonly store?: ResultStore | string
  /** Default `all` when the store keeps files, else `none`. */
  readonly preserveWorkspaces?: Preserve
  /** Default `copyWorkspaces()`. */
  readonly provision?: Provision
  readonly knowledge?: Knowledge
  /** Variables for the agent, in `task.env`. Default: none. */
  readonly environment?: EnvironmentPolicy
  /**
   * The run to compare with: a run id; `latest`, the newest earlier run of the same variant outside of the session; or
   * `variant:NAME`, that variant in the same session.
   */
  readonly baseline?: string
  /**
   * Judges that may decide nothing in a whole run, by name or place, or `true` for all: else `jurist run` ends with exit
   * code 1 when a judge never judged. Default: none.
   */
  readonly allowAbstain?: AllowAbstain
  /**
   * How many items the quarantine of the dataset may list: `most` is a share of the active ones, default 0.1, and one item always may
   * be. Gates of the command refuse more. `false`: all items count. Default: the quarantine holds.
   */
  readonly quarantine?: { readonly most?: number } | false
  /** Further declared measurement conditions. */
  readonly conditions?: JsonObject
  /** Default `false`: not computed. */
  readonly efficiency?: EfficiencyOptions | false
  /** Whether the journal of agents is written. Default `true`. */
  readonly journal?: boolean
  /**
   * Whether verdicts keep the prompts of model judges, at most 8,000 characters of each judgment, without secrets of the
   * host's variables. Default `true`.
   */
  readonly recordPrompts?: boolean
  /** Replaces the models that judges ask, for example by the same behind a cache. Default: they ask their own. */
  readonly askThrough?: AskThrough
  /** The project whose commit is recorded. Default: the working directory. */
  readonly projectDirectory?: string
  /** `true`: refuse a project with uncommitted changes; an array: with changes below these paths. Default `false`. */
  readonly requireCleanGit?: boolean | readonly string[]
  /** Copied to the result. */
  readonly metadata?: JsonObject
  readonly hooks?: Hooks
  /** Expectations that `jurist vet` checks this benchmark against. */
  readonly vet?: VetExpectations
}

/** Expectations for vetting a benchmark. They change no run and no result. */
export interface VetExpectations {
  /** Probes that are known to get through, each with the reason why that is acceptable. Default: none. */
  readonly accepted?: readonly { readonly probe: string; readonly reason: string }[]
  /** The largest acceptable share of mutants that survive, 0 to 1. Default: every share. */
  readonly survival?: number
  /**
   * The largest acceptable share of items whose tests are proven to be too strict, 0 to 1. Default: none may be.
   */
  readonly strict?: number
  /**
   * Globs of the files of a reference that an agent would write. Default: all but tests, which are the judges' to lay over;
   * where there is nothing else, all.
   */
  readonly solution?: readonly string[]
}

/**
 * The axes of a grid of variants. Each is a list, or values by name; a variant is named for its values, such as
 * `fast_short`. Its place is recorded as the condition `matrix`.
 */
export interface Matrix<Input = JsonObject | undefined> {
  readonly agent?: Readonly<Record<string, AgentOf<Input>>>
  readonly model?: readonly string[] | Readonly<Record<string, string>>
  readonly prompt?: readonly string[] | Readonly<Record<string, string>>
  readonly systemPrompt?: readonly string[] | Readonly<Record<string, string>>
}

/** The options that a variant overrides; objects (`metadata`, `conditions`) are merged. */
export interface VariantOverrides<Input = JsonObject | undefined> {
  readonly agent?: AgentOf<Input>
  readonly model?: string
  readonly prompt?: string
  readonly systemPrompt?: string
  readonly knowledge?: Knowledge
  readonly environment?: EnvironmentPolicy
  readonly metadata?: JsonObject
  readonly conditions?: JsonObject
  /** The reason for this variant: the finding about the previous one, and the expected effect of this one. */
  readonly iteration?: { readonly finding?: string; readonly hypothesis?: string }
}

/** An experiment whose options have been checked; frozen. */
export interface Experiment<Variant extends string = string> extends Readonly<ExperimentOptions<Variant>> {
  readonly kind: 'experiment'
}

/**
 * Functions that run between the steps of a trial. The results of `beforeAgent` and `afterAgent` are merged into the
 * metadata of the trial and of the jury's context. Only `beforeAgent` may write into the workspace.
 */
export interface Hooks {
  /** After provisioning. An exception is a setup error: the agent is not called. */
  beforeAgent?(stage: Stage & { readonly workspace: WritableWorkspace }): HookResult<JsonObject>
  /** After the agent and its processes are gone. An exception is a warning and the trial's failure; the outcome stays. */
  afterAgent?(stage: Stage & { readonly invocation: ExperimentInvocation }): HookResult<JsonObject>
  /** Before the jury, whose context it may replace. An exception is the jury's failure: judged `error`. */
  beforeJury?(
    stage: Stage & { readonly invocation: ExperimentInvocation; readonly context: JudgmentContext },
  ): HookResult<JudgmentContext>
}

/** A hook may return a value, nothing, or a promise of either. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement returns void.
export type HookResult<Value> = Value | void | Promise<Value | void>

/** The trial for which a hook is called. */
export interface Stage {
  readonly item: DatasetItem
  readonly repetition: number
  readonly workspace: Workspace
  readonly signal: AbortSignal
}

/** Which workspaces are kept beside the results; `failed`: of every trial whose `passed` is not true. */
export type Preserve = 'all' | 'failed' | 'none'

/** The limits of a run's cost, checked before each trial starts. */
export interface Budget {
  /** US dollars for the run. */
  readonly usd?: number
  /** Tokens for the run, by `tokensOf`. */
  readonly tokens?: number
  /** Whether juries count. Default `true`. */
  readonly includeJudges?: boolean
  /** US dollars for one trial: it is cancelled when its recorded cost exceeds this. */
  readonly perItemUsd?: number
}

/** How infrastructure failures are retried, and faults of simulated users. Nothing else is retried. */
export interface Retries {
  /** All attempts of a trial, the first included. Default 3. */
  readonly attempts?: number
  /** Milliseconds before the second attempt; doubled each time. Default 1,000. */
  readonly baseMs?: number
  /** The longest delay in milliseconds. Default 60,000. */
  readonly maxMs?: number
  /** Whether each delay is a random part of that, so that trials that failed together do not return together. Default `true`. */
  readonly jitter?: boolean
  /** How often a conversation is held again whose simulated user was at fault. Default 0. */
  readonly user?: number
  /** Whether the infrastructure failed, not the agent. Default: the failure's own `infrastructure`, then its code. */
  isInfrastructure?(failure: ItemFailure): boolean
}

/** The origin of an item's described judges, and their permissions. */
export interface JudgesReading {
  /** Paths of the judges are relative to it. `null`: the directory is not known, and judges cannot name paths. */
  readonly directory: string | null
  /** The directory that paths may not leave; `null`: they may lead anywhere. */
  readonly root: string | null
  /** Whether the judges may load modules and describe models, as those of a config may. */
  readonly isTrusted: boolean
  /** Whether the judges may run commands. */
  readonly mayRunCommands: boolean
  /** Receives each problem with its place in the judges. */
  report(place: Place, problem: string, remedy: string): void
}

/** Makes a jury of the judges that an item describes. Reports every problem; `undefined` when there is one. */
export type DescribedJudges = (judges: Json, reading: JudgesReading) => Promise<Jury | undefined>
