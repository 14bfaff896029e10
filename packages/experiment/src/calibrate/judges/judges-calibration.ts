import type { Interval } from '../../result/summary.js'
import type { CalibrationResult } from '../calibration.js'

/** One judge among several on the same items. */
export interface JudgeRow {
  readonly judge: string
  /** The stored run. */
  readonly run: string
  readonly trials: number
  /** Trials that it decided and that have a label: agreement and kappa are of these. */
  readonly scored: number
  readonly matches: number
  readonly agreement: number | null
  /** Clustered where items are repeated or depend on each other. */
  readonly interval: Interval | null
  readonly kappa: number | null
  /** Judgments that change when the places are exchanged; `null`: no places were exchanged. */
  readonly flipRate: number | null
  /** Pairs that the flip rate is of. */
  readonly flipPairs: number
  /** What all its judgments cost, those of exchanged places too; `null`: nobody declared a cost. */
  readonly costUsd: number | null
  /** Trials that declared a cost. */
  readonly pricedTrials: number
}

/** Two judges on the items that both were scored on, whose repetitions count as one: one is right more often, or neither is. */
export interface JudgeComparison {
  readonly judges: readonly [one: string, other: string]
  /** Items that both were scored on; clusters where items depend on each other. */
  readonly pairs: number
  /** Pairs on which the first one is right more often. */
  readonly onlyOne: number
  /** Pairs on which the other one is. */
  readonly onlyOther: number
  /** The first one's mean agreement less the other's, on these pairs; `null`: there are none. */
  readonly difference: number | null
  /** McNemar, exact and two-sided. */
  readonly pValue: number
  /** The same after Holm's correction for all pairs of judges. */
  readonly holm: number
  readonly isDifferent: boolean
}

/** Several judges on the same labelled items. */
export interface JudgesCalibration {
  readonly name: string
  /** Each judge's own calibration. */
  readonly calibrations: Readonly<Record<string, CalibrationResult>>
  /** The judge that agrees most often first. */
  readonly table: readonly JudgeRow[]
  /** Every two judges; the smallest p value first. */
  readonly comparisons: readonly JudgeComparison[]
  /** What a reader should know: plain sentences. */
  readonly notes: readonly string[]
}
