/**
 * Two runs side by side: what changed, by how much, and whether that is more than chance. Runs anywhere: nothing here needs
 * Node.
 *
 * @example
 * import { compare, resolveBaseline } from '@jurist/experiment/compare'
 *
 * const baseline = await resolveBaseline(store, current)
 * if (baseline !== undefined) console.log(compare(baseline, current).conclusion)
 */
import '../errors.js'

export type { ConditionDifference } from '../result/condition.js'
export { holmAdjusted, mcnemarExact, type SignFlipTest, signFlipTest } from '../result/statistics/paired-tests.js'
export { changeCounts, changeKinds, changeOf, changeWord } from './changes.js'
export { compare, detectRegressions } from './compare.js'
export type { CompareOptions } from './compare-options.js'
export { comparedTogether } from './compared-together.js'
export type * from './comparison.js'
export { findings, flipsText, pText, testText } from './comparison-words.js'
export { resolveBaseline } from './resolve-baseline.js'
