import type { Judgment, Verdict } from '@jurist/core'
import type { ItemResult } from '@jurist/experiment/result'

/** One tier of a cascade, or one seat of a jury, over all trials of a run. */
export interface Stage {
  readonly name: string
  /** Trials that it passed. */
  readonly passed: number
  /** Trials that came as far as it. */
  readonly reached: number
}

/**
 * How many trials reached and passed each tier (of a cascade) or each seat (of any other jury), in the order of the
 * jury: two tests of the same thing stand side by side, so that work which only pleases the visible one is seen.
 */
export function stagesOf(items: readonly ItemResult[]): readonly Stage[] {
  const stages = new Map<string, { passed: number; reached: number }>()
  for (const { verdict } of items)
    for (const [name, judgment] of verdict === null ? [] : partsOf(verdict)) {
      const stage = stages.get(name) ?? { passed: 0, reached: 0 }
      stages.set(name, stage)
      if (judgment === undefined) continue
      stage.reached += 1
      if (judgment.status === 'pass') stage.passed += 1
    }
  return [...stages].map(([name, stage]) => ({ name, ...stage }))
}

/** The parts of a verdict with what they said; a tier that was not reached said nothing. */
function partsOf({ tiers, subVerdicts, individual }: Verdict): readonly (readonly [string, Judgment | undefined])[] {
  if (tiers === undefined) return Object.entries(individual)
  return tiers.map(({ name }) => [name, subVerdicts[name]?.aggregated])
}
