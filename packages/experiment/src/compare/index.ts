/**
 * Two runs side by side: what changed, by how much, and whether that is more than chance. Runs anywhere: nothing here needs
 * Node.
 *
 * @example
 * import { compare, resolveBaseline } from '@jurist/experiment/compare'
 *
 * const baseline = await resolveBaseline(store, current)
 * if (baseline !== undefined) console.log(compare(baseline, current).verdict)
 */
import '../errors.js'

export type { ConditionDifference } from '../result/condition.js'
export { holmAdjusted } from '../result/statistics/holm.js'
export { mcnemarExact } from '../result/statistics/mcnemar.js'
export { type SignFlipTest, signFlipTest } from '../result/statistics/sign-flip.js'
export { changeCounts, changeKinds, changeOf, changeWord } from './change-of.js'
export { compare } from './compare.js'
export type { CompareOptions } from './compare-options.js'
export { comparedTogether } from './compared-together.js'
export type * from './comparison.js'
export { findings, flipsText, pText, testText } from './comparison-words.js'
export { detectRegressions } from './detect-regressions.js'
export { resolveBaseline } from './resolve-baseline.js'
