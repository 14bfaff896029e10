import type { ConditionDifference } from '../errors.js'
import type { LabelledDifference } from '../result/statistics/labelled-rate.js'
import type { SignFlipTest } from '../result/statistics/paired-tests.js'
import type { Interval, Summary } from '../result/summary.js'
import type { BehaviourComparison } from './behaviour.js'
import type { SequentialReading } from './sequential-reading.js'

/**
 * Whether an item fell or rose in anything, its pass rate or any score, where falls outweigh rises; `new` and `removed`:
 * only one of the runs has it.
 */
export type ItemChangeStatus = 'improved' | 'regressed' | 'unchanged' | 'undetermined' | 'new' | 'removed'

/**
 * How the pass rate of an item changed: `regressed`, `improved`. `scores-moved`: the pass rate is the same, and a score
 * differs by more than the tolerance. `undetermined`: no pair is decided on both sides, or it was another task.
 */
export type ItemChangeKind =
  | 'improved'
  | 'regressed'
  | 'scores-moved'
  | 'unchanged'
  | 'undetermined'
  | 'new'
  | 'removed'

/** A pair of trials whose `passed` differs; `null`: nothing was decided. */
export interface Flip {
  readonly repetition: number
  readonly from: boolean | null
  readonly to: boolean | null
}

/** One item on both sides. Deltas are candidate less baseline; `null`: not known on both sides. */
export interface ItemChange {
  readonly itemId: string
  /** The change of the pass rate and all scores together; `change` tells them apart. */
  readonly status: ItemChangeStatus
  /** By the pass rate, as the test counts it: shown by tables, banners and gates. */
  readonly change: ItemChangeKind
  /** Trials of the same repetition on both sides. */
  readonly pairs: number
  /** Over pairs where both are decided. */
  readonly passDelta: number | null
  readonly flips: readonly Flip[]
  /** Means; of a key that both sides have over the pairs that have it, else over the item's trials. */
  readonly baselineScores: Readonly<Record<string, number>>
  readonly candidateScores: Readonly<Record<string, number>>
  /** The differences of the scores that a pair has on both sides. */
  readonly scoreDeltas: Readonly<Record<string, number>>
  readonly costDeltaUsd: number | null
  readonly tokensDelta: number | null
  readonly durationDeltaMs: number | null
}

/** Whether a mean difference is more than chance, by items, alone and among all the tests that are read with it. */
export interface MeanTest extends SignFlipTest {
  /** Adjusted by Holm's method over all `tests`: the basis of the conclusion and the notes. */
  readonly adjustedPValue: number
  /** How many there are: the scores of a comparison, its checks, or the variants of a session. 1: alone. */
  readonly tests: number
}

/** Means over the items that have a value on both sides. */
export interface PairedDelta {
  readonly items: number
  readonly baselineMean: number
  readonly candidateMean: number
  readonly delta: number
  /** The standard error of the deltas, by item; `null` below two items. */
  readonly standardError: number | null
  /** The interval of the delta: `bootstrap`, or `normal` where that many items make no difference; `null` below two items. */
  readonly interval: Interval | null
}

/** One score on both sides; the means are `null` when no item has it on both. */
export interface ScoreComparison extends Omit<PairedDelta, 'baselineMean' | 'candidateMean' | 'delta'> {
  readonly baselineMean: number | null
  readonly candidateMean: number | null
  readonly delta: number | null
  /** Items whose delta exceeds the tolerance. */
  readonly improvements: number
  readonly regressions: number
  readonly unchanged: number
  /** The test of the mean difference; absent when no item has the score on both sides. */
  readonly permutation?: MeanTest
  /** Means over the items that have the score on a side, paired or not. */
  readonly overall: {
    readonly baselineMean: number | null
    readonly baselineItems: number
    readonly candidateMean: number | null
    readonly candidateItems: number
  }
}

/**
 * How many items got worse and better, and the exact two-sided test of these counts: `mcnemar-exact` when every item has
 * exactly one decided pair. It does not see by how much an item changed; `passRate.permutation` does, and decides.
 */
export interface SignTest {
  readonly method: 'mcnemar-exact' | 'sign-exact'
  readonly worse: number
  readonly better: number
  readonly same: number
  readonly pValue: number
}

/** Pairs of trials with different outcomes, and how many to expect when an agent is compared with itself. */
export interface FlipCounts {
  /** Pairs that are decided on both sides. */
  readonly pairs: number
  /** Pairs that failed before and pass now, and pairs that passed before and fail now. */
  readonly better: number
  readonly worse: number
  /**
   * How many flips chance alone gives: as often as repetitions of an item differ within a run. `null`: no item has two
   * decided repetitions on a side, which would show it.
   */
  readonly byChance: number | null
}

/** How often simulated users were at fault on both sides, over the pairs of trials that are conversations. */
export interface UserFaultComparison {
  readonly pairs: number
  readonly baseline: number
  readonly candidate: number
  /** Two-sided, exact, by items. */
  readonly pValue: number
  /** Whether that is more than chance: then no difference between the agents is claimed. */
  readonly differs: boolean
}

/** The conclusion of a comparison of two runs. */
export type ComparisonConclusion = 'improved' | 'regressed' | 'no-difference-detected' | 'insufficient-data'

/** One of the two compared runs, with its summary. */
export interface ComparedRun {
  readonly id: string
  readonly experimentName: string
  readonly variant: string | null
  readonly startedAt: string
  /** Computed when it is first read. */
  readonly summary: Summary
}

/** The differences between two runs. */
export interface Comparison {
  readonly baseline: ComparedRun
  readonly candidate: ComparedRun
  /** In the order of the candidate; items that only the baseline has follow. */
  readonly items: readonly ItemChange[]
  /** Keyed by `status`. */
  readonly counts: Readonly<Record<ItemChangeStatus, number>>
  /** Keyed by `change`: these add up with `passRate.test`. */
  readonly changes: Readonly<Record<ItemChangeKind, number>>
  /** Trials without a partner of the same item and repetition. */
  readonly unpairedTrials: number
  /** `null`: no item has a pair that is decided on both sides. */
  readonly passRate: (PairedDelta & { readonly test: SignTest; readonly permutation: MeanTest }) | null
  readonly flips: FlipCounts
  readonly scores: Readonly<Record<string, ScoreComparison>>
  /** The checks of judges, such as the criteria of a rubric: `judge > check`, 1 passed, 0 failed, or the check's score. */
  readonly checks: Readonly<Record<string, ScoreComparison>>
  readonly efficiency: Readonly<Record<string, PairedDelta>>
  readonly costUsd: PairedDelta | null
  /** Tokens of the agent. */
  readonly tokens: PairedDelta | null
  readonly durationMs: PairedDelta | null
  /** The ids of items that are in quarantine in one of the runs: they are in no other figure, and in no test. Absent: none is. */
  readonly quarantined?: readonly string[]
  /** The differences in the agents' actions, as `jurist compare` reads them from journals. Absent: not read; `null`: a side has none. */
  readonly behaviour?: BehaviourComparison | null
  /** Absent: no pair of trials has a simulated user. */
  readonly userFaults?: UserFaultComparison
  /** The difference of true pass rates by labels and verdicts, as `estimateDifference` makes it. Absent: not both runs have labels. */
  readonly byLabels?: LabelledDifference
  /** The state of the candidate's plan, which stops when it is decided. Absent: it has none for this baseline. */
  readonly sequential?: SequentialReading
  readonly conclusion: ComparisonConclusion
  /** The significance level of the conclusion. */
  readonly alpha: number
  /**
   * The number of further items needed: with `insufficient-data` for any conclusion; with `no-difference-detected` to
   * detect, in four of five experiments, a difference as large as the observed one. `null`: none, or no number would do.
   */
  readonly moreItems: number | null
  /** Conditions that differ, all of them allowed to. */
  readonly differences: readonly ConditionDifference[]
  /** Notes for the reader, as plain sentences. */
  readonly notes: readonly string[]
}
