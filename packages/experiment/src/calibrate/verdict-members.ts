import type { Judgment, Verdict } from '@jurist/core'

/**
 * The judges below a verdict: the members of a jury; of a cascade those of every tier that ran, whichever tier decided, each by
 * `tier/judge`.
 */
export function membersOf({
  individual,
  subVerdicts,
  tiers,
}: Verdict): readonly (readonly [name: string, said: Judgment])[] {
  if (tiers === undefined) return Object.entries(individual)
  return Object.entries(subVerdicts).flatMap(([tier, verdict]) =>
    membersOf(verdict).map(([name, judgment]) => [`${tier}/${name}`, judgment] as const),
  )
}
