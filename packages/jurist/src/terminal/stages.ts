import { type Trial, trialStages } from '@jurist/experiment/result'

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
export function stagesOf(trials: readonly Trial[]): readonly Stage[] {
  const stages = new Map<string, { passed: number; reached: number }>()
  for (const trial of trials)
    for (const { name, status } of trialStages(trial)) {
      const stage = stages.get(name) ?? { passed: 0, reached: 0 }
      stages.set(name, stage)
      if (status === null) continue
      stage.reached += 1
      if (status === 'pass') stage.passed += 1
    }
  return [...stages].map(([name, stage]) => ({ name, ...stage }))
}
