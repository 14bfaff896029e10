import type { ExperimentResult, JudgeExecutionDetail } from '../result/records.js'
import type { AltTestResult } from '../result/statistics/alt-test.js'
import type { ClassScores } from '../result/statistics/confusion.js'
import type { Kappa } from '../result/statistics/kappa.js'
import type { MeasurementLevel } from '../result/statistics/krippendorff-alpha.js'
import type { ThresholdSweep } from '../result/statistics/threshold-sweep.js'
import type { Interval } from '../result/summary.js'

/** The result of a calibration. */
export interface CalibrationResult {
  /** The stored run, of kind `judge`. */
  readonly result: ExperimentResult
  /** Matches of scored trials; `null`: nothing was scored. */
  readonly agreementRate: number | null
  /** Scored trials without a match. */
  readonly disagreements: readonly JudgeDisagreement[]
  readonly report: CalibrationReport
}

/** A trial on which the candidate and the label differ. */
export interface JudgeDisagreement {
  readonly itemId: string
  readonly repetition: number
  readonly detail: JudgeExecutionDetail
}

/** Rows expected, columns predicted; the unscored trials, by expected class, are a further column. */
export interface ConfusionMatrix {
  readonly labels: readonly string[]
  readonly matrix: readonly (readonly number[])[]
  readonly unscored: Readonly<Record<string, number>>
}

/** Trials whose judgment was about as sure. */
export interface ConfidenceBin {
  readonly low: number
  readonly high: number
  readonly trials: number
  readonly meanConfidence: number
  readonly agreement: number
}

/** Whether a candidate is right as often as its confidence suggests. */
export interface Reliability {
  /** Where the confidence is from: `metadata.confidence` of judgments, or the share of a jury's votes. */
  readonly source: 'declared' | 'votes'
  readonly trials: number
  /** Ten equal parts of [0, 1], without the empty ones. */
  readonly bins: readonly ConfidenceBin[]
  /** The mean distance between confidence and agreement over the bins, by trials (Naeini, Cooper and Hauskrecht 2015). */
  readonly calibrationError: number
}

/** One member of a jury, on the trials that it judged where both it and the jury were scored. */
export interface MemberAgreement {
  readonly agreement: number | null
  readonly scored: number
}

/** The gain of the jury over a single judge. */
export interface JuryReport {
  readonly members: Readonly<Record<string, MemberAgreement>>
  /**
   * Whether every member judged the same trials. Those of a cascade do not, as a later tier only judges the trials that
   * earlier ones leave: then no member is the best, and comparisons of members are `null`.
   */
  readonly sameTrials: boolean
  /** Trials on which the jury and every member were scored: only on these are members compared. */
  readonly commonTrials: number
  /** The member that agrees most often on the common trials. */
  readonly bestMember: string | null
  /** The jury's agreement less the best member's, on the common trials. */
  readonly juryMinusBest: number | null
  /** McNemar's exact test by item, or by cluster: repetitions count once. */
  readonly mcnemarAgainstBest: number | null
  readonly meanErrorCorrelation: number | null
  readonly effectiveVotes: number | null
}

/** Judgments that change when two places of the context are exchanged, mapped back. */
export interface SwapFlip {
  /** The answer to the original context. */
  readonly given: string
  /** The answer with the places exchanged, mapped back. */
  readonly exchanged: string
  readonly items: number
}

/** Whether the places decide. */
export interface SwapReport {
  /** Pairs in which both contexts were judged. */
  readonly items: number
  readonly consistent: number
  readonly flipRate: number | null
  /** Which judgments turned into which, the most frequent first. */
  readonly flips: readonly SwapFlip[]
}

/** The alternative annotator test, with its options and the result of a judge that always gives the same answer. */
export interface AnnotatorReport extends AltTestResult {
  /** The false discovery rate. */
  readonly q: number
  /** Annotators with fewer items are left out. */
  readonly minimumItems: number
  /** The same test of the label that annotators give most often; of numbers their mean. `null`: nothing was rated. */
  readonly constant: {
    readonly label: string
    readonly winningRate: number | null
    readonly averageAdvantage: number | null
    readonly passes: boolean | null
  } | null
}

/** The corrected pass rate of another run, given the errors of the candidate on labelled trials. */
export interface CorrectedPassRate {
  /** The run whose pass rate it is. */
  readonly run: string
  /** Trials that the candidate decided there. */
  readonly trials: number
  /** The share of them that it passed. */
  readonly observed: number
  readonly sensitivity: number
  readonly specificity: number
  readonly value: number
  /** `null`: the candidate may be no better than chance. */
  readonly interval: Interval | null
}

/** How well numbers separate items labelled pass from items labelled fail. */
export interface Discrimination {
  /** Scored trials with a number. */
  readonly trials: number
  /** The area under the ROC curve: 0.5 by chance. */
  readonly auroc: number | null
  /** The mean squared distance of numbers and labels: 0 is perfect. */
  readonly brier: number | null
  /** The results of other thresholds; the best one is cross-validated by item or cluster. */
  readonly thresholds: ThresholdSweep | null
}

/** Intervals by a Bayesian bootstrap of items, or of clusters. `null`: not defined, or without resamples. */
export interface AgreementIntervals {
  readonly gwetAC1: Interval | null
  readonly krippendorffAlpha: Interval | null
  readonly mcc: Interval | null
  readonly balancedAccuracy: Interval | null
}

/** How well a candidate agrees with labels. Unscored trials are in no rate. `null`: not defined. */
export interface CalibrationReport {
  readonly counts: {
    readonly items: number
    readonly trials: number
    readonly scored: number
    readonly matches: number
    /** Keyed by reason. */
    readonly unscored: Readonly<Record<string, number>>
  }
  /** Scored trials of all. */
  readonly coverage: number | null
  readonly agreement: {
    readonly value: number | null
    /** With repetitions or clusters on the effective number of trials: `wilson-effective`. */
    readonly wilson: Interval | null
    /** By item, or by cluster; widened for few of them. */
    readonly bootstrap: Interval | null
  }
  readonly confusion: ConfusionMatrix
  readonly perClass: Readonly<Record<string, ClassScores>>
  /** The mean recall over the classes that were expected. */
  readonly balancedAccuracy: number | null
  /** The share of items labelled fail that the candidate passed. */
  readonly falsePassRate: number | null
  /** The share of items labelled pass that the candidate failed. */
  readonly falseFailRate: number | null
  /** With the interval of `intervals`; without resamples the asymptotic one, where no trials depend on each other. */
  readonly kappa: Kappa
  /** With `ordinal`. */
  readonly weightedKappa: { readonly linear: Kappa; readonly quadratic: Kappa } | null
  readonly gwetAC1: number | null
  /** The label and each repetition are the raters. */
  readonly krippendorffAlpha: { readonly level: MeasurementLevel; readonly value: number | null }
  readonly mcc: number | null
  readonly intervals: AgreementIntervals
  /** The figures of labels that are numbers. */
  readonly scores: {
    readonly meanAbsoluteError: number
    /** The mean of candidate less label. */
    readonly bias: number
    readonly pearson: number | null
    readonly spearman: number | null
    readonly kendallTauB: number | null
  } | null
  readonly consistency: {
    /** Items with two or more scored repetitions. */
    readonly repeats: { readonly items: number; readonly agreement: number | null; readonly unanimous: number } | null
    /** Pairs of judgments of a context and of the same swapped. */
    readonly swap: SwapReport | null
  }
  /** The gain of a candidate that is a jury; `null` for others. */
  readonly jury: JuryReport | null
  /** With three annotators or more. */
  readonly altTest: AnnotatorReport | null
  /** The corrected pass rate of another run, given as `correct`. That of these trials would be the share of labels. */
  readonly correctedPassRate: CorrectedPassRate | null
  /** How well the scores separate the labels pass and fail, for candidates with numbers. */
  readonly discrimination: Discrimination | null
  /** Present for candidates that declare a confidence. */
  readonly reliability: Reliability | null
  /** Notes for the reader, as plain sentences. */
  readonly notes: readonly string[]
}
