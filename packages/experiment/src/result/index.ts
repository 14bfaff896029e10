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
export { briefTrials, wholeTrials } from './brief-trials.js'
export type { ConditionDifference } from './condition.js'
export type * from './judge-detail.js'
export { judgmentScore } from './judgment-score.js'
export { passedOf } from './outcome.js'
export { environmentText, failureText, undecidedText } from './outcome-text.js'
export type * from './records.js'
export { passAtKText, passHatKText } from './repeated-text.js'
export { type ScoreMean, scoreMeans, scoreMeansText } from './score-text.js'
export { scoresOf } from './scores.js'
export { bootstrapInterval } from './statistics/bootstrap.js'
export { passAtK, passHatK } from './statistics/pass-at-k.js'
export { clusteredStandardError, standardError } from './statistics/standard-error.js'
export { wilsonInterval } from './statistics/wilson.js'
export { resultOf, summarize } from './summarize.js'
export type * from './summary.js'
export { threeDigits } from './three-digits.js'
export {
  type BriefTrial,
  failedByError,
  judgeTimedOut,
  type TrialBrief,
  type TrialStage,
  trialChecks,
  trialEnvironmentProblem,
  trialFailedJudges,
  trialStages,
} from './trial-brief.js'
export { outcomeCounts, outcomeOf, outcomes, type TrialOutcome, undecidedCause } from './trial-outcome.js'
export { decidingReason, reasonOf } from './trial-reason.js'
export { sumUsage, tokensOf } from './usage.js'
