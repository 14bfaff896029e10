/**
 * Names for reading, comparing and showing results that the packages of this repository share and users' programs do not
 * need. They change without notice. Runs anywhere: nothing here needs Node.
 */

export { errorSentences, juryFirst } from './calibrate/report/error-sentence.js'
export { behaviourRows, noBehaviour, readBehaviour } from './compare/behaviour.js'
export { changeCounts, changeKinds, changeOf, changeWord } from './compare/changes.js'
export type { MeanTest } from './compare/comparison.js'
export {
  byLabelsText,
  findings,
  flipsText,
  priceText,
  pText,
  sequentialHeadline,
  testText,
  threeDigits,
} from './compare/comparison-words.js'
export { type RunSetup, type SetupChange, setupChanges } from './compare/conditions.js'
export { readThreshold, type ThresholdReading, thresholdLines } from './compare/sequential-reading.js'
export {
  changesTogether,
  comparedTrials,
  type MeanChange,
  notWorseThanBest,
  type PairTest,
  pairwiseTests,
  type RunChange,
  runChange,
} from './compare/several-runs.js'
export { paretoFront, type VariantFigures, variantFigures } from './compare/variant-figures.js'
export type { ConditionDifference } from './errors.js'
export { categoriesIn, pairText } from './label/label-agreement.js'
export { type Lift, liftColumns, liftHeadline, liftNotes, liftOf, liftRow } from './lift/lift.js'
export {
  counted,
  grouped,
  levelText,
  methodName,
  namedInterval,
  points,
  pValue,
  rateBounds,
  rateInterval,
  signed,
  three,
  unknown,
} from './result/amounts.js'
export { type DecidingJudge, decidingJudge, decidingReason, furtherCheck } from './result/deciding-judge.js'
export {
  type CommandEvidence,
  type ErrorEvidence,
  type Evidence,
  evidenceOf,
  failureEvidence,
  firstPlace,
  type ModelEvidence,
} from './result/evidence.js'
export { type EvidenceBlock, evidenceBlocks } from './result/evidence-text.js'
export { type Excerpt, excerptLines, excerptOf } from './result/excerpt.js'
export { figuresOf, triedOf } from './result/item-figures.js'
export {
  type JudgeFigures,
  type JudgePair,
  type JudgesSummary,
  judgesSummary,
  type ScoreDistribution,
  type TierFigures,
} from './result/judge-figures.js'
export { type FoundPlace, type Place, placesIn } from './result/places.js'
export { countedTrials, quarantineOf, quarantineReason, quarantineText } from './result/quarantine.js'
export { hadWorkspace, runStatuses, trialWith } from './result/records.js'
export { passAtKText, passHatKText } from './result/repeated.js'
export { baselineVariant, isMeasurement, isOfSession, runKinds } from './result/run-kind.js'
export { type RunNetwork, runNetwork } from './result/run-network.js'
export { judgeKeys, judgmentScore, type ScoreMean, scoreMeans, scoreMeansText } from './result/scores.js'
export { type AlikeTrials, alikeTrials, likeness } from './result/similar-failures.js'
export { sumUsage, tokensOf } from './result/spending.js'
export { bootstrapInterval, widenedBootstrap } from './result/statistics/bootstrap.js'
export { clusteredStandardError, meanOf, standardError } from './result/statistics/descriptive.js'
export { mcnemarExact } from './result/statistics/paired-tests.js'
export { passAtK, passHatK } from './result/statistics/pass-at-k.js'
export { wilsonInterval } from './result/statistics/rate-intervals.js'
export { failedByError, judgeTimedOut, trialJudges, trialStages } from './result/trial-evidence.js'
export {
  chosenItems,
  fittingTrials,
  itemsOf,
  type RunOverview,
  resultWithItems,
  type TrialName,
  takenMs,
  takenTogether,
  trialKey,
  trialsOf,
  trialText,
} from './result/trial-figures.js'
export {
  environmentText,
  failureText,
  outcomeCounts,
  outcomes,
  testsCannotFailText,
  undecidedText,
} from './result/trial-outcome.js'
export { type PromptChange, trialPrompt } from './result/trial-prompt.js'
export { csvCell, expectedOutputOf, outputOf, sourcesOf } from './result/trial-texts.js'
export {
  type AllowAbstain,
  decidedText,
  judgesThatRan,
  readUndecidedJudges,
  type UndecidedJudge,
  undecidedJudgeLine,
  undecidedJudges,
  undecidedJudgeText,
} from './result/undecided-judges.js'
export { userFaultsText } from './result/user-faults.js'
export { sideName } from './run/decide.js'
export { isRunId, newRunId } from './store/names.js'
