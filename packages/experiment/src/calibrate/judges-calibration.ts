import { meanOf } from '../result/statistics/descriptive.js'
import { duelByUnit, holmAdjusted } from '../result/statistics/paired-tests.js'
import type { Interval } from '../result/summary.js'
import type { CalibrationResult } from './calibration.js'
import { factsOf } from './report/scored-trial.js'

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
  /** The cost of all its judgments, including those of exchanged places; `null` if no cost is known. */
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
  /** Each pair of judges; the smallest p value first. */
  readonly comparisons: readonly JudgeComparison[]
  /** Notes for the reader, as plain sentences. */
  readonly notes: readonly string[]
}

const significance = 0.05

type Calibrations = Readonly<Record<string, Pick<CalibrationResult, 'result'>>>

/**
 * Each pair of judges by McNemar's exact test, the family-wise error over all pairs controlled after Holm 1979. Repetitions of an
 * item, and items of a cluster, depend on each other: each item or cluster counts once, for the judge that is right more
 * often on the trials that both were scored on.
 *
 * @param calibrations by judge
 * @returns each pair of judges, the smallest p value first
 */
export function judgeComparisons(calibrations: Calibrations): readonly JudgeComparison[] {
  const judges = Object.entries(calibrations).map(([name, { result }]) => ({ name, matches: matchesByTrial(result) }))
  const compared = judges.flatMap((one, index) => judges.slice(index + 1).map((other) => comparisonOf(one, other)))
  const adjusted = holmAdjusted(compared.map(({ pValue }) => pValue))
  return compared
    .map((comparison, index) => {
      const holm = adjusted[index] ?? 1
      return { ...comparison, holm, isDifferent: holm < significance }
    })
    .sort((one, other) => one.pValue - other.pValue)
}

interface Measured {
  readonly name: string
  /** Whether each trial matched its label, and what it depends on. */
  readonly matches: ReadonlyMap<string, { readonly unit: string; readonly match: boolean }>
}

function matchesByTrial({ items }: CalibrationResult['result']): Measured['matches'] {
  return new Map(
    items.flatMap((item) => {
      if (item.passed === null) return []
      const unit = factsOf(item).cluster ?? item.itemId
      return [[JSON.stringify([unit, item.repetition, item.itemId]), { unit, match: item.passed }] as const]
    }),
  )
}

function comparisonOf(one: Measured, other: Measured): Omit<JudgeComparison, 'holm' | 'isDifferent'> {
  const both = [...one.matches].flatMap(([trial, { unit, match }]) => {
    const theirs = other.matches.get(trial)
    return theirs === undefined ? [] : [{ unit, one: match, other: theirs.match }]
  })
  const { differences, ...duel } = duelByUnit(both)
  return {
    judges: [one.name, other.name],
    pairs: differences.length,
    difference: differences.length === 0 ? null : meanOf(differences),
    ...duel,
  }
}

/** The notes on the labels and on the judges together, without those on the figures of one judge. */
export function notesOnLabels({ notes, calibrations }: JudgesCalibration): readonly string[] {
  const own = Object.entries(calibrations).flatMap(([judge, { report }]) =>
    report.notes.map((note) => `${judge}: ${note}`),
  )
  return notes.filter((note) => !own.includes(note))
}
