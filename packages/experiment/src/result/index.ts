/**
 * Results of experiments, and what follows from them. Runs anywhere: nothing here needs Node.
 */
import '../errors.js'

export { dollars, duration, pEquals, percent, score } from './amounts.js'
export type * from './judge-detail.js'
export type { ExperimentResult, ItemDetail, ItemResult, RunRecord, RunStatus } from './records.js'
export { scoresOf } from './scores.js'
export { tokensOf } from './spending.js'
export { resultOf, summarize } from './summarize.js'
export type { Interval, Summary } from './summary.js'
export type { RunResult, Trial } from './trial-figures.js'
export { outcomeOf, passedOf, reasonOf, type TrialOutcome } from './trial-outcome.js'
