import type { Diagnosis, Finding, GapCategory } from './diagnosis.js'

const none: { readonly [category in GapCategory]: 0 } = {
  execution: 0,
  planning: 0,
  knowledge: 0,
  tooling: 0,
  analysis: 0,
  criteria: 0,
  evaluation: 0,
  stochasticity: 0,
  environment: 0,
}
const order = Object.keys(none) as readonly GapCategory[]

/** How often each category occurs among the findings that have one. */
export function distributionOf(findings: readonly Finding[]): Diagnosis['distribution'] {
  const known = findings.filter(({ category }) => category !== null)
  const entries = order.map((category) => {
    const count = known.filter((finding) => finding.category === category).length
    return [category, { count, fraction: known.length === 0 ? 0 : count / known.length }] as const
  })
  return Object.fromEntries(entries) as Diagnosis['distribution']
}

/** The most frequent category; of equals the one that comes first in the order of `GapCategory`. */
export function dominantOf(findings: readonly Finding[]): GapCategory | null {
  const distribution = distributionOf(findings)
  const count = (category: GapCategory) => distribution[category].count
  const most = order.reduce((best, category) => (count(category) > count(best) ? category : best))
  return count(most) === 0 ? null : most
}
