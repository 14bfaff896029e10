import type { Usage } from '@jurist/core'

/** How the agent's part of a trial may end. */
export const agentOutcomes = ['completed', 'timeout', 'error', 'setup-error', 'cancelled'] as const

/** How the agent's part of a trial ended. `setup-error`: the agent never started; `cancelled`: the run was stopped. */
export type AgentOutcome = (typeof agentOutcomes)[number]

/** Every outcome of judging a trial. */
export const judgedOutcomes = ['pass', 'fail', 'abstain', 'error', 'not-judged'] as const

/** The status of the verdict; `not-judged`: no jury saw the trial. */
export type JudgedOutcome = (typeof judgedOutcomes)[number]

/** A confidence interval; `level` such as 0.95, `method` such as `wilson`. */
export interface Interval {
  readonly low: number
  readonly high: number
  readonly level: number
  readonly method: string
}

/**
 * How many trials ended how. `planned` = `run` + `notRun`; `run` = `passes` + `fails` + `undecided`; `decided` =
 * `passes` + `fails`. `agent`, `judged` and `infrastructureFailures` count the same trials in other ways.
 */
export interface Counts {
  readonly planned: number
  readonly run: number
  readonly notRun: number
  readonly passes: number
  readonly fails: number
  readonly undecided: number
  readonly decided: number
  readonly agent: Readonly<Record<AgentOutcome, number>>
  readonly judged: Readonly<Record<JudgedOutcome, number>>
  readonly infrastructureFailures: number
}

/** One score over all trials that have it. */
export interface ScoreSummary {
  readonly n: number
  /** Judged trials without this score. */
  readonly missing: number
  readonly mean: number
  readonly min: number
  readonly max: number
  /** Clustered by item where items were repeated; `null` below two items. */
  readonly standardError: number | null
}

/** At least one of `k` trials passes, all of `k` trials pass: means over the `items` with at least `k` decided trials. */
export interface PassAtK {
  readonly k: number
  readonly passAtK: number
  readonly passHatK: number
  readonly items: number
}

/** The simulated users of the conversations of a run. Each trial counts once. */
export interface UserFaults {
  /** Trials with a simulated user. */
  readonly trials: number
  /** Trials in which the user made a mistake: they are undecided. */
  readonly atFault: number
  /** The interval of `atFault` among `trials`: 95 %, `wilson`. */
  readonly interval: Interval
  /** Trials by the name of the fault; a trial with several counts for each. */
  readonly byName: Readonly<Record<string, number>>
  /** Trials at which the audit did not look: only the rules have. */
  readonly unaudited: number
}

/** The trials of a run that count nowhere. */
export interface QuarantineFigures {
  readonly items: number
  readonly trials: number
  /** The passes among the trials in quarantine. */
  readonly passes: number
  readonly decided: number
  /** Passes of all decided trials, those in quarantine among them; `null`: nothing was decided. */
  readonly passRateWithThem: number | null
}

/**
 * The figures of a run, derived from its items. Trials in quarantine are in none of them, except in `quarantined` and in what was
 * spent: tokens and costs.
 */
export interface Summary {
  readonly counts: Counts
  /** `null`: no trial is in quarantine. */
  readonly quarantined: QuarantineFigures | null
  readonly passCount: number
  readonly failCount: number
  /** Passes of the decided trials; `null`: nothing was decided. */
  readonly passRate: number | null
  /** Passes of all planned trials; `null`: nothing was planned. */
  readonly passRateOfAll: number | null
  /** 95 %: `wilson`; when an item has two decided trials `wilson-effective`, or `wilson-by-item` where all items are alike. */
  readonly passRateInterval: Interval | null
  /** For every k up to 5, then 8, 16, …, and the largest number of decided trials of an item. */
  readonly passAtK: readonly PassAtK[]
  /** Ids of items with both a pass and a fail, sorted. */
  readonly flakyItems: readonly string[]
  readonly scores: Readonly<Record<string, ScoreSummary>>
  readonly efficiency: Readonly<Record<string, ScoreSummary>>
  readonly usage: Usage | null
  readonly judgeUsage: Usage | null
  readonly costUsd: number | null
  readonly judgeCostUsd: number | null
  /** `null`: no trial had a simulated user. */
  readonly userFaults: UserFaults | null
  /** The usage of simulated users and their audits. It is not part of the agent's. */
  readonly userUsage: Usage | null
  readonly userCostUsd: number | null
  /** Trials without a declared cost: they are missing in `costUsd`. */
  readonly unpricedTrials: number
  /** Over trials whose agent ran; quantiles by linear interpolation (type 7). */
  readonly agentMs: {
    readonly total: number
    readonly mean: number
    readonly median: number
    readonly p95: number
  } | null
  /** Keyed by bucket. Trials that did not run are counted for the whole run only, so `planned` equals `run` here. */
  readonly byBucket: Readonly<Record<string, { readonly counts: Counts; readonly passRate: number | null }>>
}
