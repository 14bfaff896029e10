import { abstain, infoOf, type Judge, type Jury } from '@jurist/core'
import { modelsUsedBy, withJudges } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'

/**
 * Whether a judge costs money because it calls a model or an agent. A custom judge that calls a model without declaring
 * it (`withInfo`) counts as free.
 */
function isPaid(judge: Judge): boolean {
  return infoOf(judge).kind !== 'deterministic' || modelsUsedBy(judge).length > 0
}

export function hasPaidMembers(jury: Jury | Judge): boolean {
  let isFound = false
  withJudges(jury, (judge) => {
    isFound ||= isPaid(judge)
    return judge
  })
  return isFound
}

/** An experiment whose jury members are all free. */
export interface FreeJudging {
  readonly experiment: ExperimentOptions
  /** Does the same for the jury of an item. */
  freed<Given extends Jury | Judge>(jury: Given): Given
  /** The names of the members that are left out, as far as they are known. */
  skipped(): readonly string[]
}

/**
 * Replaces the jury members that cost money by ones that abstain. Votes ignore them, and a tier without other members
 * does not decide.
 */
export function freeJudging(experiment: ExperimentOptions): FreeJudging {
  const skipped = new Set<string>()
  const free = (judge: Judge): Judge => {
    if (!isPaid(judge)) return judge
    const { name } = infoOf(judge)
    skipped.add(name)
    return () => abstain(`${name} was left out: it costs money`)
  }
  const freed = <Given extends Jury | Judge>(jury: Given): Given => withJudges(jury, free) as Given
  const { jury, describedJudges } = experiment
  return {
    experiment: {
      ...experiment,
      ...(jury === undefined ? {} : { jury: freed(jury) }),
      ...(describedJudges === undefined
        ? {}
        : {
            describedJudges: async (judges, reading) => {
              const made = await describedJudges(judges, reading)
              return made === undefined ? undefined : freed(made)
            },
          }),
    },
    freed,
    skipped: () => [...skipped],
  }
}
