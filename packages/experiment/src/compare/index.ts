/**
 * Comparisons of two runs: the changes, their size, and whether chance explains them. Runs anywhere: nothing here needs
 * Node.
 *
 * @example
 * import { compare, resolveBaseline } from '@jurist/experiment/compare'
 * import { fileStore } from '@jurist/experiment/store'
 *
 * const store = fileStore('results')
 * const current = await store.mostRecent('add-readme')
 * const baseline = current && (await resolveBaseline(store, current))
 * if (current && baseline) console.log(compare(baseline, current).conclusion)
 */
import '../errors.js'

export type { ConditionDifference } from '../errors.js'
export { answerTreeLevel, lookPower } from '../result/statistics/answer-tree.js'
export {
  type ChangePoint,
  type ChangePointInput,
  changePoint,
  type Probe,
  type SearchOptions,
  type SuspectGroup,
  searchLength,
  type TriedCommit,
} from '../result/statistics/change-point.js'
export { holmAdjusted, type SignFlipTest, signFlipTest } from '../result/statistics/paired-tests.js'
export {
  type SequentialPower,
  type SequentialPowerInput,
  sequentialPower,
} from '../result/statistics/sequential.js'
export { resolveBaseline } from '../store/resolve-baseline.js'
export type { BehaviourChange, BehaviourComparison, UsedByOne } from './behaviour.js'
export { compare, detectRegressions } from './compare.js'
export type { CompareOptions } from './compare-options.js'
export type {
  ComparedRun,
  Comparison,
  ComparisonConclusion,
  Flip,
  FlipCounts,
  ItemChange,
  ItemChangeKind,
  ItemChangeStatus,
  MeanTest,
  PairedDelta,
  ScoreComparison,
  SignTest,
  UserFaultComparison,
} from './comparison.js'
export type { SequentialReading } from './sequential-reading.js'
export { comparedTogether } from './several-runs.js'
