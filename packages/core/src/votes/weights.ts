import { JuristError } from '../errors.js'

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
  const bad = weighted.find(({ weight }) => !(Number.isFinite(weight) && weight >= 0))
  const total = totalWeight(weighted)
  if (bad === undefined && total > 0 && Number.isFinite(total)) return
  const { name, weight } = bad ?? { name: weighted[0]?.name ?? '', weight: total }
  const problem = bad === undefined ? `all weights together are ${weight}` : `"${name}" weighs ${weight}`
  throw new JuristError('weight-invalid', `${where}: ${problem}. Weights are finite, at least 0, and one is above 0.`, {
    name,
  })
}

/** The sum of the weights. */
export function totalWeight(weighted: readonly Pick<Weighted, 'weight'>[]): number {
  return weighted.reduce((total, { weight }) => total + weight, 0)
}
