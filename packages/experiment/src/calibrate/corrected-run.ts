import { flatten, type JudgmentStatus } from '@jurist/core'
import { optionInvalid } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type { UnitCounts } from '../result/statistics/bootstrap.js'
import { correctedPassRate, correctedRateInterval, type ObservedShare } from '../result/statistics/corrected-rate.js'
import { clusteredShare, holding } from '../result/statistics/rate-intervals.js'
import type { CorrectedPassRate } from './calibration.js'
import { type CalibratedTrial, unitCounts } from './report/scored-trial.js'

/**
 * The corrected pass rate of another run, given the errors of the candidate on labelled trials.
 *
 * @param calibration the run that the trials are of
 * @returns `null` where the labels are not pass and fail, and where the candidate is no better than chance
 * @throws `option-invalid` when the run is the calibration itself or judges the same items, or was not judged by the candidate
 */
export function correctedRun(
  calibration: ExperimentResult,
  trials: readonly CalibratedTrial[],
  run: ExperimentResult,
  level: number,
): CorrectedPassRate | null {
  refuseSameTrials(calibration, run)
  const observed = shareOf(observedUnits(calibration, run))
  const [sensitivity, specificity] = [recallOf(trials, 'pass'), recallOf(trials, 'fail')]
  if (observed === null || sensitivity === null || specificity === null) return null
  const value = correctedPassRate(observed.share, sensitivity.share, specificity.share)
  if (value === null) return null
  return {
    run: run.id,
    trials: observed.trials,
    observed: observed.share,
    sensitivity: sensitivity.share,
    specificity: specificity.share,
    value,
    interval: holding(value, correctedRateInterval(observed, sensitivity, specificity, level)),
  }
}

function refuseSameTrials(calibration: ExperimentResult, run: ExperimentResult): void {
  const own = new Set(calibration.items.map(({ itemHash, itemId }) => `${itemId} ${itemHash}`))
  const isShared =
    run.id === calibration.id ||
    (run.kind === 'judge' && run.items.some(({ itemHash, itemId }) => own.has(`${itemId} ${itemHash}`)))
  if (isShared)
    optionInvalid(
      'correct',
      `calibrationOf: the run ${run.id} has trials of this calibration: correcting its pass rate only returns the share of the labels. Give a run on other trials, without labels.`,
    )
}

function recallOf(
  trials: readonly CalibratedTrial[],
  label: 'pass' | 'fail',
): (ObservedShare & { trials: number }) | null {
  const expected = trials.filter(({ scored }) => scored?.expectedClass === label)
  return shareOf(unitCounts(expected, ({ predictedClass }) => predictedClass === label))
}

/** A share with the number of independent trials that it is worth. */
function shareOf(units: readonly UnitCounts[]): (ObservedShare & { trials: number }) | null {
  const trials = units.reduce((sum, unit) => sum + unit.trials, 0)
  if (trials === 0) return null
  const share = units.reduce((sum, unit) => sum + unit.matches, 0) / trials
  const error = trials === units.length ? 0 : (clusteredShare(units)?.error ?? 0)
  const observations = error === 0 ? units.length : Math.min(trials, (share * (1 - share)) / error ** 2)
  return { share, observations, trials }
}

function observedUnits(calibration: ExperimentResult, run: ExperimentResult): readonly UnitCounts[] {
  const statusOf = candidateStatus(calibration, run)
  const units = new Map<string, UnitCounts>()
  for (const item of run.items) {
    const said = statusOf(item)
    if (said !== 'pass' && said !== 'fail') continue
    const unit = units.get(item.itemId) ?? { trials: 0, matches: 0 }
    units.set(item.itemId, { trials: unit.trials + 1, matches: unit.matches + (said === 'pass' ? 1 : 0) })
  }
  if (units.size === 0)
    optionInvalid(
      'correct',
      `calibrationOf: the run ${run.id} has no pass and no fail by ${candidateOf(calibration)}, the judge of this calibration. Give a run that it judged.`,
    )
  return [...units.values()]
}

/** The candidate's judgment of a trial: that of the whole jury, of the only judge, or of the one seat with its name. */
function candidateStatus(
  calibration: ExperimentResult,
  run: ExperimentResult,
): (item: ItemResult) => JudgmentStatus | undefined {
  const name = candidateOf(calibration)
  if (run.kind === 'judge')
    return ({ detail }) => (candidateOf(run) === name && detail?.kind === 'judge' ? detail.judgment.status : undefined)
  if (run.jury !== null && run.jury.fingerprint === calibration.jury?.fingerprint)
    return ({ verdict }) => verdict?.aggregated.status
  return ({ verdict }) => {
    if (verdict === null) return undefined
    const seats = flatten(verdict).filter(({ path }) => path === `/${name}` || path.endsWith(`/${name}`))
    return seats.length === 1 ? seats[0]?.judgment.status : undefined
  }
}

function candidateOf({ metadata }: ExperimentResult): string {
  return String(metadata['candidate'])
}
