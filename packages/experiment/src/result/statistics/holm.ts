import { checkValues, statisticInvalid } from './invalid.js'

/**
 * The p values of several tests, raised so that together they say a false "there is a difference" no more often than one test
 * alone would: Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6:65.
 * It needs no independence, and never finds less than Bonferroni's correction.
 *
 * @returns the adjusted p values in the order that was given, at most 1
 * @throws `statistic-invalid` for a p value outside [0, 1]
 *
 * @example
 * holmAdjusted([0.01, 0.04, 0.03]) // [0.03, 0.06, 0.06]
 */
export function holmAdjusted(pValues: readonly number[]): readonly number[] {
  checkValues('holmAdjusted', pValues)
  const bad = pValues.find((pValue) => pValue < 0 || pValue > 1)
  if (bad !== undefined) statisticInvalid('holmAdjusted', `p values lie between 0 and 1, not at ${bad}`)
  const adjusted = [...pValues]
  let largest = 0
  const ascending = [...pValues.entries()].sort(([, one], [, other]) => one - other)
  for (const [rank, [place, pValue]] of ascending.entries()) {
    largest = Math.max(largest, Math.min(1, pValue * (pValues.length - rank)))
    adjusted[place] = largest
  }
  return adjusted
}
