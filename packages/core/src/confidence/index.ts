/**
 * Where the confidence of a judge is from, for `selectiveJudge`, for tiers that decide when they are confident, and for certified
 * cascades.
 *
 * @example
 * import { selectiveJudge } from '@jurist/core'
 * import { votes } from '@jurist/core/confidence'
 * import { correctness } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const judge = correctness({ model: scriptedModel('Answer: YES') })
 * selectiveJudge(judge, { threshold: 0.8, confidence: votes(5) })
 */
export { agreement, declared } from '../selective-judge.js'
export { type AnnotatorsOptions, annotators, type SwapOptions, swapped, type VotesOptions, votes } from './sources.js'
