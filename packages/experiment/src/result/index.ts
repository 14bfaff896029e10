/**
 * Results of experiments, and what follows from them. Runs anywhere: nothing here needs Node.
 */
import '../errors.js'

export { dollars, duration, pEquals, percent, score } from './amounts.js'
export type * from './judge-detail.js'
export type * from './records.js'
export { scoresOf } from './scores.js'
export { resultOf, summarize, tokensOf } from './summarize.js'
export type * from './summary.js'
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
export { outcomeOf, passedOf, reasonOf, type TrialOutcome } from './trial-outcome.js'
