/**
 * Results of experiments, and what follows from them. Runs anywhere: nothing here needs Node.
 */
import '../errors.js'

export {
  counted,
  dollars,
  duration,
  grouped,
  levelText,
  methodName,
  namedInterval,
  pEquals,
  percent,
  points,
  pValue,
  rateBounds,
  rateInterval,
  score,
  signed,
  three,
  unknown,
} from './amounts.js'
export type { ConditionDifference } from './condition.js'
export type * from './judge-detail.js'
export type * from './records.js'
export { passAtKText, passHatKText } from './repeated.js'
export { judgmentScore, type ScoreMean, scoreMeans, scoreMeansText, scoresOf } from './scores.js'
export { bootstrapInterval } from './statistics/bootstrap.js'
export { clusteredStandardError, standardError } from './statistics/descriptive.js'
export { passAtK, passHatK } from './statistics/pass-at-k.js'
export { wilsonInterval } from './statistics/rate-intervals.js'
export { resultOf, summarize, sumUsage, tokensOf } from './summarize.js'
export type * from './summary.js'
export { threeDigits } from './three-digits.js'
export {
  failedByError,
  judgeTimedOut,
  trialChecks,
  trialEnvironmentProblem,
  trialFailedJudges,
  trialStages,
} from './trial-evidence.js'
export {
  itemsOf,
  type RunOverview,
  type RunResult,
  resultWithItems,
  type Trial,
  type TrialFigures,
  type TrialName,
  type TrialStage,
  trialsOf,
} from './trial-figures.js'
export {
  decidingReason,
  environmentText,
  failureText,
  figuresOf,
  outcomeCounts,
  outcomeOf,
  outcomes,
  passedOf,
  reasonOf,
  type TrialOutcome,
  undecidedCause,
  undecidedText,
} from './trial-outcome.js'
