/**
 * How well a judge agrees with people: the judge is under test. Runs anywhere; Node is needed only where a string names a
 * dataset or a directory of results.
 */
import '../errors.js'

export type { JudgeExecutionDetail, JudgeScorerResult } from '../result/records.js'
export {
  type AltTestResult,
  type AnnotatorRatings,
  type AnnotatorTest,
  altTest,
  type Scoring,
} from '../result/statistics/alt-test.js'
export type { ClassScores } from '../result/statistics/confusion.js'
export { correctedPassRate } from '../result/statistics/corrected-rate.js'
export { cohenKappa, fleissKappa, gwetAC1, type Kappa, type KappaWeights } from '../result/statistics/kappa.js'
export { krippendorffAlpha, type MeasurementLevel, type Rating } from '../result/statistics/krippendorff-alpha.js'
export { comparisonPower, type PowerInput } from '../result/statistics/power.js'
export type { ThresholdRow, ThresholdSweep } from '../result/statistics/threshold-sweep.js'
export { calibrate } from './calibrate.js'
export type { CalibrateJudgesOptions, JudgeComparison, JudgeRow, JudgesCalibration } from './calibrate-judges.js'
export { calibrateJudges, judgesCalibrationOf } from './calibrate-judges.js'
export type { AltTestOptions, CalibrateOptions, ReportOptions } from './calibrate-options.js'
export type {
  AgreementIntervals,
  AnnotatorReport,
  CalibrationReport,
  CalibrationResult,
  ConfidenceBin,
  ConfusionMatrix,
  CorrectedPassRate,
  Discrimination,
  JudgeDisagreement,
  JuryReport,
  MemberAgreement,
  Reliability,
  SwapFlip,
  SwapReport,
} from './calibration.js'
export { type RecordedOptions, recorded } from './recorded.js'
export { calibrationOf } from './report/calibration-report.js'
export type { JudgeScorer, JudgeScoringInput, LabelRange, ScorerInfo } from './scorer.js'
export { exactCategoryMatch, exactVerdictMatch, numericalTolerance } from './scorers.js'
