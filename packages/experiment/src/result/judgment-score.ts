import type { Judgment } from '@jurist/core'
import { decimalsBeside, isPlainObject } from '@jurist/core/internal'
import { rounded, score } from './amounts.js'

/**
 * A score that a judgment gives, rounded as its reasoning rounds it: beside the threshold of a vote it has as many
 * decimals as it takes to not contradict the status.
 *
 * @param value the score, on the scale on which it is shown
 *
 * @example
 * judgmentScore(0.599, verdict.aggregated) // '0.599' where the vote wanted 0.6, else '0.60'
 */
export function judgmentScore(value: number, { metadata: { aggregation } }: Judgment): string {
  const options = isPlainObject(aggregation) ? aggregation.options : undefined
  const threshold = isPlainObject(options) ? options.threshold : undefined
  return typeof threshold === 'number' ? rounded(value, decimalsBeside(value, threshold)) : score(value)
}
