/**
 * Results of experiments, and what follows from them. Runs anywhere: nothing here needs Node.
 */
import '../errors.js'

export type { QuarantineEntry } from '../dataset/quarantine.js'
export { type Amount, dollars, duration, pEquals, percent, score } from './amounts.js'
export type {
  DecidedStop,
  ExperimentResult,
  FailedAttempt,
  ItemDetail,
  ItemResult,
  JudgeExecutionDetail,
  JudgeScorerResult,
  JuryDescription,
  KeptChanges,
  KnowledgeManifest,
  Lineage,
  RunRecord,
  RunShard,
  RunStatus,
  SequentialPlan,
  StoredJudges,
  TrialNetwork,
} from './records.js'
export { scoresOf } from './scores.js'
export { tokensOf } from './spending.js'
export { resultOf, type SummarizedRun, summarize } from './summarize.js'
export type {
  AgentOutcome,
  Counts,
  Interval,
  JudgedOutcome,
  PassAtK,
  QuarantineFigures,
  ScoreSummary,
  Summary,
  UserFaults,
} from './summary.js'
export type { RunResult, Trial } from './trial-figures.js'
export { outcomeOf, passedOf, reasonOf, type TrialOutcome } from './trial-outcome.js'
