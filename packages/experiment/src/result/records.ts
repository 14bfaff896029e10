import type { AgentOutput, Failure, Json, JsonObject, Judgment, Usage, UserPart, Verdict } from '@jurist/core'
import type { DatasetVersion } from '../dataset/dataset.js'
import type { QuarantineEntry } from '../dataset/quarantine.js'
import type { ExperimentInvocation } from '../invocation.js'
import type { RunKind } from './run-kind.js'
import type { AgentOutcome, JudgedOutcome, Summary } from './summary.js'

export type { AgentOutcome, JudgedOutcome } from './summary.js'

/** The states of a run. */
export const runStatuses = ['running', 'completed', 'stopped', 'interrupted', 'failed'] as const

/** The state of a run. `interrupted`: cancelled, or its process ended before the run did. */
export type RunStatus = (typeof runStatuses)[number]

/** Why a run ended before all its trials had run. */
export type StopReason = 'experiment-timeout' | 'budget' | 'bail' | 'infrastructure' | 'cancelled' | 'decided'

/** How a run stops as soon as it is decided: fixed before its first trial, for every process that takes part in it. */
export interface SequentialPlan {
  /** Whether two sides differ, or whether all items would meet a threshold of the pass rate. */
  readonly rule: 'difference' | 'threshold'
  readonly seed: number
  /** The ids of the planned items in the order in which they count. */
  readonly order: readonly string[]
  /** Trials of an item, on the side that has more. */
  readonly repetitions: number
  readonly alpha: number
  /** How much worse still counts as not worse, such as 0.05; `null`: no margin. */
  readonly margin: number | null
  /** The share of all items that must pass; `null` with the rule `difference`. */
  readonly threshold: number | null
  /** Sides by run id, or `variant:NAME` of the session. Empty with the rule `threshold`. */
  readonly comparisons: readonly { readonly baseline: string; readonly candidate: string }[]
}

/** The stop of a run that was decided before all its items had run. */
export interface DecidedStop {
  /** The items of the order that count. */
  readonly after: number
  readonly planned: number
  readonly why: 'improved' | 'regressed' | 'not-worse' | 'met' | 'missed' | 'certain'
  /** Items that ran ahead of the stop: they are stored, and nothing uses them. */
  readonly ahead: readonly string[]
}

/** A failure, where in the trial it happened, and whether the environment is to blame. */
export interface ItemFailure extends Failure {
  readonly origin: 'setup' | 'agent' | 'jury' | 'hook' | 'user'
  readonly infrastructure: boolean
}

/** One attempt that failed for infrastructure reasons before the trial was tried again. */
export interface FailedAttempt {
  readonly failure: ItemFailure
  readonly durationMs: number
  readonly costUsd: number | null
}

/**
 * One trial, as it is stored: a line of `items.jsonl`. Every field is present, except those that say when they are absent; `null`: not known or
 * does not apply.
 * Values of core inside it (`Usage`, `Verdict`, the invocation) keep core's rule, a missing key.
 */
export interface ItemResult {
  readonly itemId: string
  readonly itemSlug: string
  /** SHA-256 of the item as it was when it ran. */
  readonly itemHash: string
  /** Counts from 1. */
  readonly repetition: number
  readonly bucket: string
  readonly taskType: string
  readonly tags: readonly string[]
  /** The task's text, so that a run can be judged again without its dataset. */
  readonly task: string
  /** The right answer. Absent: the item has none, or the run is older and has it in `metadata`; see `expectedOutputOf`. */
  readonly expectedOutput?: AgentOutput
  /** The data of `expectedOutput` is an array of answers, any of which is right. */
  readonly expectedAnyOf?: true
  /** The judges that the item describes. Absent: it describes none. */
  readonly judges?: StoredJudges
  /** The simulated user's part in a conversation, over all attempts what it cost. Absent: there was none. */
  readonly user?: UserPart
  /** The network requests of its commands. Absent: nothing, or the sandbox has no allow-list. */
  readonly network?: TrialNetwork
  readonly agent: AgentOutcome
  readonly judged: JudgedOutcome
  /** `passedOf(agent, judged, …)`; `null`: nothing was decided. */
  readonly passed: boolean | null
  /** The failure that decided. */
  readonly failure: ItemFailure | null
  /** Earlier attempts, oldest first. */
  readonly attempts: readonly FailedAttempt[]
  readonly startedAt: string
  readonly endedAt: string
  readonly durationMs: number
  readonly setupMs: number
  readonly agentMs: number
  readonly juryMs: number
  /** The agent's tokens over all attempts. */
  readonly usage: Usage | null
  readonly judgeUsage: Usage | null
  /** US dollars. 0: free; `null`: no cost was declared. */
  readonly costUsd: number | null
  readonly judgeCostUsd: number | null
  /** `scoresOf(verdict)`. */
  readonly scores: Readonly<Record<string, number>>
  readonly efficiency: Readonly<Record<string, number>> | null
  readonly verdict: Verdict | null
  readonly detail: ItemDetail | null
  /** Paths are relative to the run's directory; a reference outside it, to the results directory. */
  readonly workspacePath: string | null
  /** Absent: all files of the workspace are kept. */
  readonly keptChanges?: KeptChanges
  readonly referencePath: string | null
  readonly beforePath: string | null
  readonly journalPath: string | null
  readonly metadata: JsonObject
}

/**
 * The workspace of a trial is kept as what differs from the item's initial state, where that has 1,000 files or 10 MB; these facts
 * are needed to make it again.
 */
export interface KeptChanges {
  /** SHA-256 over the files of the initial state: its paths, sizes, hashes and executable bits. */
  readonly before: string
  /** Paths of files, and of whole directories, that the workspace no longer had. */
  readonly removed: readonly string[]
}

/** How often the commands of a trial asked for a host, by its name, or by a reason in brackets where none was read. */
export interface TrialNetwork {
  readonly allowed: Readonly<Record<string, number>>
  readonly refused: Readonly<Record<string, number>>
}

type KnownOfTrial = Pick<
  ItemResult,
  'itemId' | 'itemHash' | 'repetition' | 'task' | 'agent' | 'judged' | 'passed' | 'startedAt' | 'endedAt' | 'durationMs'
>

/** A trial of which only some things are known. */
export function trialWith(known: KnownOfTrial & Partial<ItemResult>): ItemResult {
  const { itemId, itemHash, repetition, task, agent, judged, passed, startedAt, endedAt, durationMs } = known
  return {
    itemId,
    itemSlug: itemId,
    itemHash,
    repetition,
    bucket: '',
    taskType: '',
    tags: [],
    task,
    agent,
    judged,
    passed,
    failure: null,
    attempts: [],
    startedAt,
    endedAt,
    durationMs,
    setupMs: 0,
    agentMs: 0,
    juryMs: 0,
    usage: null,
    judgeUsage: null,
    costUsd: null,
    judgeCostUsd: null,
    scores: {},
    efficiency: null,
    verdict: null,
    detail: null,
    workspacePath: null,
    referencePath: null,
    beforePath: null,
    journalPath: null,
    metadata: {},
    ...(known as Partial<ItemResult>),
  }
}

/** Whether a trial began with files or left some, whether they were kept or not. */
export function hadWorkspace({ workspacePath, beforePath, metadata }: ItemResult): boolean {
  const { workspaceKept, beforeSource } = metadata
  return workspacePath !== null || workspaceKept === false || beforePath !== null || beforeSource !== undefined
}

/** The judges of an item as its dataset describes them, so that they judge again with it. */
export interface StoredJudges {
  /** `null`: a jury of the program, which is not stored. */
  readonly described: Json
  /** The base directory of their paths: the directory of the item in its dataset; `''` for a row. */
  readonly directory: string
}

/** The measured part of a trial: an agent's invocation, or a judge's judgment. */
export type ItemDetail = { readonly kind: 'agent'; readonly invocation: ExperimentInvocation } | JudgeExecutionDetail

/** A run: `run.json`, and its items from `items.jsonl`. */
export interface RunRecord {
  readonly schemaVersion: 1
  readonly id: string
  readonly experimentName: string
  readonly kind: RunKind
  readonly status: RunStatus
  readonly stopReason: StopReason | null
  readonly variant: string | null
  readonly session: string | null
  /** The part of the trials that the run performs. Absent: all. */
  readonly shard?: RunShard
  /** The ids of all planned items, in the order of the dataset. Present in shards and in runs of `mergeRuns`. */
  readonly itemOrder?: readonly string[]
  /** The ids of the shards that the run was merged from. Absent: it was not merged. */
  readonly merged?: readonly string[]
  /** Where the trials of a rejudged run come from. */
  readonly lineage: Lineage | null
  readonly dataset: DatasetVersion
  /** The project's commit when the run began. */
  readonly code: { readonly gitCommit: string | null; readonly dirty: boolean; readonly dirtyFiles: readonly string[] }
  readonly environment: {
    readonly node: string
    readonly platform: string
    readonly arch: string
    readonly jurist: string
    readonly ci: boolean
  }
  /** Conditions that must be equal for two runs to be comparable. */
  readonly conditions: JsonObject
  /** The options of the run: functions by name, no secret values. */
  readonly configuration: JsonObject
  readonly jury: JuryDescription | null
  readonly knowledge: KnowledgeManifest | null
  readonly baseline: string | null
  readonly startedAt: string
  readonly endedAt: string | null
  readonly durationMs: number
  /** How many trials were meant to run. */
  readonly planned: number
  /** Absent: the run has no plan to stop when it is decided. */
  readonly sequential?: SequentialPlan
  /** Absent: it did not stop for that. */
  readonly decided?: DecidedStop
  /** The items that count nowhere, and judges that do not count, among the planned ones. Absent: there are none. */
  readonly quarantine?: readonly QuarantineEntry[]
  /** In result order: the order of the dataset, then by repetition. */
  readonly items: readonly ItemResult[]
  readonly metadata: JsonObject
}

/** A run with the summary of its items, which is derived on every read and never stored. */
export interface ExperimentResult extends RunRecord, Summary {}

/** The ancestry of a rejudged run. */
export interface Lineage {
  /** The direct parent. */
  readonly rejudgedFrom: string
  /** The run that invoked agents. */
  readonly root: string
  readonly systemReinvoked: false
  readonly originalStartedAt: string
  /** The fingerprint of the jury that judged again; that of the jury before is in the metadata of each trial. */
  readonly jury: string
  readonly tiers: readonly string[] | null
}

/** Which part of the trials of an experiment a run performs. */
export interface RunShard {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** Whether the shards have about the same number of trials, or take about the same time. */
  readonly by: 'order' | 'seconds'
  /** How many trials belong to it; `planned` counts those of all shards. */
  readonly trials: number
  /** SHA-256 of the durations that it was planned with. */
  readonly durations: string | null
}

/** A jury as data: its members, and a fingerprint that changes when its judgment might. */
export interface JuryDescription {
  readonly name: string
  readonly fingerprint: string
  readonly judges: readonly {
    readonly path: string
    readonly name: string
    readonly kind: string
    readonly weight: number
  }[]
  readonly tiers: readonly { readonly name: string; readonly policy: string }[] | null
  /** The certificates by which cascades in it decide, whole: `readCertificate` reads one. Absent: none does. */
  readonly certificates?: readonly { readonly id: string }[]
}

/** The knowledge files an agent was given. */
export interface KnowledgeManifest {
  readonly directory: string
  readonly gitCommit: string | null
  readonly dirty: boolean
  readonly takenAt: string
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]
  readonly exclude: readonly string[]
}

/** The result of scoring one judgment: whether it agrees with the label, or why it was not scored. */
export type JudgeScorerResult =
  | {
      readonly scored: true
      readonly match: boolean
      /** 0 to 1. */
      readonly score: number
      readonly expected: string
      readonly predicted: string
      readonly reasoning: string
    }
  | {
      readonly scored: false
      readonly why:
        | 'abstained'
        | 'candidate-error'
        | 'label-missing'
        | 'label-invalid'
        | 'no-measurement'
        | 'scorer-error'
      readonly reasoning: string
    }

/** A trial of a calibration: the judge is the thing under test. */
export interface JudgeExecutionDetail {
  readonly kind: 'judge'
  readonly judgment: Judgment
  readonly expectedLabel: string | null
  readonly scorer: JudgeScorerResult
  /** The judgment of the swapped context, mapped back; `null`: no swap was asked for. */
  readonly swapped: Judgment | null
}
