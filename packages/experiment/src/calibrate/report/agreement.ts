import { effectiveScore, type Verdict } from '@jurist/core'
import { bootstrapShare } from '../../result/statistics/bootstrap.js'
import { ratio, sumOf } from '../../result/statistics/confusion.js'
import { kendallTauB, pearson, spearman } from '../../result/statistics/correlation.js'
import { meanOf } from '../../result/statistics/descriptive.js'
import { effectiveVotes, type MemberError } from '../../result/statistics/effective-votes.js'
import { krippendorffAlpha, type MeasurementLevel } from '../../result/statistics/krippendorff-alpha.js'
import { duelByUnit } from '../../result/statistics/paired-tests.js'
import { effectiveWilson, wilsonInterval } from '../../result/statistics/rate-intervals.js'
import { auroc, brierScore, thresholdSweep, type UnitOutcome } from '../../result/statistics/threshold-sweep.js'
import type {
  CalibrationReport,
  ConfidenceBin,
  ConfusionMatrix,
  JuryReport,
  MemberAgreement,
  Reliability,
} from '../calibration.js'
import type { UnscoredReason } from '../scorer.js'
import type { LabelClasses, ReportSettings } from './report-settings.js'
import { byItem, type CalibratedTrial, isDependent, unitCounts } from './scored-trial.js'

/** How often candidate and label agree, with intervals. */
export function agreementOf(
  trials: readonly CalibratedTrial[],
  { level, resamples, seed }: ReportSettings,
): CalibrationReport['agreement'] {
  const units = unitCounts(trials)
  const [scored, matches] = [sumOf(units.map((unit) => unit.trials)), sumOf(units.map((unit) => unit.matches))]
  return {
    value: ratio(matches, scored),
    wilson: isDependent(trials) ? effectiveWilson(units, level) : wilsonInterval(matches, scored, level),
    bootstrap: resamples === 0 ? null : bootstrapShare(units, { level, resamples, seed }),
  }
}

/** Krippendorff's alpha with the label and every repetition as raters, and items as units. */
export function alphaOf(
  trials: readonly CalibratedTrial[],
  { numeric, ordinal }: Pick<ReportSettings, 'numeric' | 'ordinal'>,
): CalibrationReport['krippendorffAlpha'] {
  const inOrder =
    ordinal !== null &&
    trials.every(({ scored }) => {
      return scored === null || [scored.expectedClass, scored.predictedClass].every((label) => ordinal.includes(label))
    })
  const level: MeasurementLevel = numeric !== null ? 'interval' : inOrder ? 'ordinal' : 'nominal'
  const rated = (text: string, label: string): string | number => {
    if (level === 'interval') return Number(text)
    return level === 'ordinal' ? (ordinal?.indexOf(label) ?? 0) : label
  }
  const repetitions = trials.reduce((most, { item }) => Math.max(most, item.repetition), 0)
  const raters: (string | number | null)[][] = Array.from({ length: repetitions + 1 }, () => [])
  for (const group of byItem(trials).values()) {
    for (const rater of raters) rater.push(null)
    const unit = (raters[0]?.length ?? 0) - 1
    for (const { scored, item } of group) {
      if (scored === null) continue
      rate(raters[0], unit, rated(scored.expected, scored.expectedClass))
      rate(raters[item.repetition], unit, rated(scored.predicted, scored.predictedClass))
    }
  }
  return { level, value: krippendorffAlpha(raters, level) }
}

function rate(rater: (string | number | null)[] | undefined, unit: number, rating: string | number): void {
  if (rater !== undefined) rater[unit] = rating
}

/** Reasons for which a trial with a valid label was not scored. */
const labelled: ReadonlySet<UnscoredReason> = new Set(['abstained', 'candidate-error', 'no-measurement'])

/** The confusion matrix of scored trials, and by class the unscored ones that belong to it. */
export function confusionMatrix(trials: readonly CalibratedTrial[], classes: LabelClasses): ConfusionMatrix {
  const unscored = new Map<string, number>()
  const occurring = new Set<string>()
  for (const { scored, detail } of trials) {
    if (scored !== null) occurring.add(scored.expectedClass).add(scored.predictedClass)
    if (detail.scorer.scored || !labelled.has(detail.scorer.why) || detail.expectedLabel === null) continue
    const expected = classes.ofLabel(detail.expectedLabel)
    if (expected === null) continue
    occurring.add(expected)
    unscored.set(expected, (unscored.get(expected) ?? 0) + 1)
  }
  const { fixed } = classes
  const labels = [...(fixed ?? []), ...[...occurring].filter((label) => fixed?.includes(label) !== true).sort()]
  return {
    labels,
    matrix: counts(trials, labels),
    unscored: Object.fromEntries(labels.map((label) => [label, unscored.get(label) ?? 0])),
  }
}

function counts(trials: readonly CalibratedTrial[], labels: readonly string[]): readonly (readonly number[])[] {
  const places = new Map(labels.map((label, index) => [label, index]))
  const matrix = labels.map(() => labels.map(() => 0))
  for (const { scored } of trials) {
    if (scored === null) continue
    const row = matrix[places.get(scored.expectedClass) ?? -1]
    const column = places.get(scored.predictedClass) ?? -1
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1
  }
  return matrix
}

/** How close the candidate's numbers are to the labels, both on 0 to 1; `null`: nothing was scored. */
export function numberAgreement(trials: readonly CalibratedTrial[]): CalibrationReport['scores'] {
  const scored = trials.flatMap((trial) => trial.scored ?? [])
  if (scored.length === 0) return null
  const expected = scored.map((trial) => Number(trial.expected))
  const actual = scored.map((trial) => Number(trial.predicted))
  const differences = actual.map((value, index) => value - (expected[index] ?? 0))
  return {
    meanAbsoluteError: meanOf(differences.map(Math.abs)),
    bias: meanOf(differences),
    pearson: pearson(actual, expected),
    spearman: spearman(actual, expected),
    kendallTauB: kendallTauB(actual, expected),
  }
}

/**
 * How well the candidate's numbers separate items labelled pass from items labelled fail, whatever threshold it has;
 * `null`: labels are other than pass and fail, or no judgment has a number.
 */
export function discriminationOf(trials: readonly CalibratedTrial[]): CalibrationReport['discrimination'] {
  const outcomes = trials.flatMap(({ scored, detail, item, facts }): readonly UnitOutcome[] => {
    if (scored === null || (scored.expectedClass !== 'pass' && scored.expectedClass !== 'fail')) return []
    const { judgment } = detail
    const isNumber = judgment.score !== undefined && judgment.score.type !== 'boolean'
    const score = isNumber ? effectiveScore(judgment) : undefined
    if (score === undefined) return []
    return [{ score, positive: scored.expectedClass === 'pass', unit: facts.cluster ?? item.itemId }]
  })
  if (outcomes.length === 0) return null
  return {
    trials: outcomes.length,
    auroc: auroc(outcomes),
    brier: brierScore(outcomes),
    thresholds: thresholdSweep(outcomes),
  }
}

const parts = 10

interface Sure {
  readonly confidence: number
  readonly match: boolean
}

/**
 * Whether a candidate is right as often as its confidence suggests: scored trials by confidence (DeGroot and Fienberg
 * 1983). Judges say it in `metadata.confidence`; of a jury it is the share of the votes that agree with the jury. `null`
 * when no judgment has a confidence.
 */
export function reliabilityOf(trials: readonly CalibratedTrial[], isJury: boolean): Reliability | null {
  const declared = suresOf(trials, ({ detail }) => detail.judgment.metadata['confidence'])
  if (declared.length > 0) return summedUp('declared', declared)
  const voted = isJury ? suresOf(trials, ({ item }) => (item.verdict === null ? null : shareOfVotes(item.verdict))) : []
  return voted.length > 0 ? summedUp('votes', voted) : null
}

function suresOf(
  trials: readonly CalibratedTrial[],
  confidenceOf: (trial: CalibratedTrial) => unknown,
): readonly Sure[] {
  return trials.flatMap((trial) => {
    const confidence = trial.scored === null ? null : confidenceOf(trial)
    const isRate = typeof confidence === 'number' && confidence >= 0 && confidence <= 1
    return trial.scored !== null && isRate ? { confidence, match: trial.scored.match } : []
  })
}

function shareOfVotes({ aggregated, individual, weights }: Verdict): number | null {
  let [same, all] = [0, 0]
  for (const [name, { status }] of Object.entries(individual)) {
    if (status !== 'pass' && status !== 'fail') continue
    const weight = weights[name] ?? 0
    all += weight
    if (status === aggregated.status) same += weight
  }
  return all === 0 ? null : same / all
}

function summedUp(source: Reliability['source'], sures: readonly Sure[]): Reliability {
  const groups = Array.from({ length: parts }, (): Sure[] => [])
  for (const sure of sures) groups[Math.min(parts - 1, Math.floor(sure.confidence * parts))]?.push(sure)
  const bins = groups.flatMap((group, index) => (group.length === 0 ? [] : binOf(group, index)))
  const error = bins.reduce((sum, bin) => sum + bin.trials * Math.abs(bin.meanConfidence - bin.agreement), 0)
  return { source, trials: sures.length, bins, calibrationError: error / sures.length }
}

function binOf(group: readonly Sure[], index: number): ConfidenceBin {
  return {
    low: index / parts,
    high: (index + 1) / parts,
    trials: group.length,
    meanConfidence: group.reduce((sum, { confidence }) => sum + confidence, 0) / group.length,
    agreement: group.filter(({ match }) => match).length / group.length,
  }
}

/** The gain of a jury over its members; `null`: no trial has members. */
export function juryReport(trials: readonly CalibratedTrial[]): JuryReport | null {
  const names = [...new Set(trials.flatMap(({ facts }) => Object.keys(facts.members ?? {})))]
  if (names.length === 0) return null
  const sameTrials = judgedAlike(names, trials)
  // A member that was scored on easier trials must not look better: only trials that all members were scored on are compared.
  const common = trials.filter((trial) => trial.scored !== null && names.every((name) => matchOf(trial, name) !== null))
  const errors = names.map((name) => trials.map((trial) => errorOf(trial, name)))
  const { meanCorrelation, effectiveVotes: votes } = sameTrials ? effectiveVotes(errors) : noVotes
  return {
    sameTrials,
    members: Object.fromEntries(names.map((name) => [name, memberAgreement(name, trials)])),
    commonTrials: common.length,
    ...(sameTrials ? againstBest(names, common) : noBest),
    meanErrorCorrelation: meanCorrelation,
    effectiveVotes: votes,
  }
}

const noBest = { bestMember: null, juryMinusBest: null, mcnemarAgainstBest: null } as const

const noVotes = { meanCorrelation: null, effectiveVotes: null } as const

/** Whether each member judged every trial that any of them judged, scored or not. */
function judgedAlike(names: readonly string[], trials: readonly CalibratedTrial[]): boolean {
  return trials.every(
    ({ facts: { members } }) => members === null || names.every((name) => Object.hasOwn(members, name)),
  )
}

function memberAgreement(name: string, trials: readonly CalibratedTrial[]): MemberAgreement {
  const matches = trials.flatMap((trial) => (trial.scored === null ? [] : (matchOf(trial, name) ?? [])))
  return { agreement: ratio(countOf(matches), matches.length), scored: matches.length }
}

function againstBest(
  names: readonly string[],
  common: readonly CalibratedTrial[],
): Pick<JuryReport, keyof typeof noBest> {
  if (common.length === 0) return noBest
  // The member that is right most often; the first of equals.
  const [first, ...others] = names.map((name) => ({
    name,
    right: countOf(common.map((trial) => matchOf(trial, name) === true)),
  }))
  if (first === undefined) return noBest
  const best = others.reduce((one, other) => (other.right > one.right ? other : one), first)
  const pairs = common.map((trial) => ({
    unit: trial.facts.cluster ?? trial.item.itemId,
    one: trial.scored?.match === true,
    other: matchOf(trial, best.name) === true,
  }))
  return {
    bestMember: best.name,
    juryMinusBest: (countOf(pairs.map(({ one }) => one)) - best.right) / pairs.length,
    mcnemarAgainstBest: duelByUnit(pairs).pValue,
  }
}

function countOf(matches: readonly boolean[]): number {
  return matches.filter(Boolean).length
}

function matchOf({ facts }: CalibratedTrial, name: string): boolean | null {
  return facts.members !== null && Object.hasOwn(facts.members, name) ? (facts.members[name] ?? null) : null
}

function errorOf(trial: CalibratedTrial, name: string): MemberError {
  const match = matchOf(trial, name)
  return match === null ? null : match ? 0 : 1
}
