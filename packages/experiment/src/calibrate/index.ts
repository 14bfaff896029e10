/**
 * How well a judge agrees with people: the judge is the thing under test. Runs anywhere: Node is needed only where a text
 * names a dataset or a directory of results.
 */
import '../errors.js'

export type { JudgeExecutionDetail, JudgeScorerResult } from '../result/judge-detail.js'
export { type AltTestResult, type AnnotatorTest, altTest } from '../result/statistics/alt-test.js'
export { bootstrapInterval } from '../result/statistics/bootstrap.js'
export { type ClassScores, matthewsCorrelation, perClassScores } from '../result/statistics/confusion.js'
export { correctedPassRate } from '../result/statistics/corrected-rate.js'
export { kendallTauB, pearson, spearman } from '../result/statistics/correlation.js'
export { clusteredStandardError, standardError } from '../result/statistics/descriptive.js'
export { effectiveVotes, type MemberError } from '../result/statistics/effective-votes.js'
export { cohenKappa, fleissKappa, gwetAC1, type Kappa, type KappaWeights } from '../result/statistics/kappa.js'
export { krippendorffAlpha, type MeasurementLevel } from '../result/statistics/krippendorff-alpha.js'
export { mcnemarExact } from '../result/statistics/paired-tests.js'
export { passAtK, passHatK } from '../result/statistics/pass-at-k.js'
export { comparisonPower, type PowerInput } from '../result/statistics/power.js'
export { clopperPearsonUpper, wilsonInterval } from '../result/statistics/rate-intervals.js'
export {
  auroc,
  brierScore,
  type ScoredOutcome,
  type ThresholdRow,
  type ThresholdSweep,
  thresholdSweep,
  type UnitOutcome,
} from '../result/statistics/threshold-sweep.js'
export { calibrate } from './calibrate.js'
export { calibrateJudges, judgesCalibrationOf } from './calibrate-judges.js'
export type { AltTestOptions, CalibrateOptions, ReportOptions } from './calibrate-options.js'
export type * from './calibration.js'
export { labelProblems } from './check-labels.js'
export type * from './judges-calibration.js'
export { judgeComparisons } from './judges-calibration.js'
export { type CalibrateJudgesOptions, type PlannedJudges, plannedJudges } from './planned-judges.js'
export { type RecordedOptions, recorded } from './recorded.js'
export { calibrationOf } from './report/calibration-report.js'
export type { JudgeScorer, JudgeScoringInput, UnscoredReason } from './scorer.js'
export { exactCategoryMatch, exactVerdictMatch, numericalTolerance } from './scorers.js'
