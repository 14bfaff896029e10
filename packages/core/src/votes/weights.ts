import { JuristError } from '../errors.js'
import { option, printed } from '../options.js'

/** What has a weight: a ballot, or a seat. */
export interface Weighted {
  readonly name: string
  readonly weight: number
}

/**
 * Refuses weights with which nothing can be weighed.
 *
 * @param where who weighs, for the message
 * @throws `weight-invalid` for one that is not finite or is negative, for all zero, or for an infinite sum
 */
export function checkWeights(where: string, weighted: readonly Weighted[]): void {
  const bad = weighted.find(({ weight }) => !option.nonNegative.holds(weight))
  const total = bad ? 0 : totalWeight(weighted)
  if (option.positive.holds(total)) return
  const problem = bad ? `"${bad.name}" weighs ${printed(bad.weight)}` : `all weights together are ${total}`
  throw new JuristError('weight-invalid', `${where}: ${problem}. Weights are finite, at least 0, and one is above 0.`, {
    name: (bad ?? weighted[0])?.name ?? '',
  })
}

/** The sum of the weights. */
export function totalWeight(weighted: readonly Pick<Weighted, 'weight'>[]): number {
  return weighted.reduce((total, { weight }) => total + weight, 0)
}
