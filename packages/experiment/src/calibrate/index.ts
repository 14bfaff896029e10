/**
 * How well a judge agrees with people: the judge is under test. Runs anywhere; Node is needed only where a string names a
 * dataset or a directory of results.
 */
import '../errors.js'

export type { JudgeExecutionDetail, JudgeScorerResult } from '../result/judge-detail.js'
export { altTest } from '../result/statistics/alt-test.js'
export { correctedPassRate } from '../result/statistics/corrected-rate.js'
export { cohenKappa, fleissKappa, gwetAC1 } from '../result/statistics/kappa.js'
export { krippendorffAlpha } from '../result/statistics/krippendorff-alpha.js'
export { comparisonPower } from '../result/statistics/power.js'
export { calibrate } from './calibrate.js'
export { calibrateJudges, judgesCalibrationOf } from './calibrate-judges.js'
export type { CalibrateOptions } from './calibrate-options.js'
export type { CalibrationReport, CalibrationResult, JudgeDisagreement } from './calibration.js'
export { recorded } from './recorded.js'
export { calibrationOf } from './report/calibration-report.js'
export type { JudgeScorer, JudgeScoringInput } from './scorer.js'
export { exactCategoryMatch, exactVerdictMatch, numericalTolerance } from './scorers.js'
