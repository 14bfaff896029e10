import { abstain, infoOf, type Judge, type Jury } from '@jurist/core'
import { modelsUsedBy, withJudges } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'

/**
 * Whether asking a judge costs money: it asks a model or an agent. A custom judge that calls a model without saying so
 * (`withInfo`) counts as free.
 */
function isPaid(judge: Judge): boolean {
  return infoOf(judge).kind !== 'deterministic' || modelsUsedBy(judge).length > 0
}

/** Whether a jury has a member that costs money. */
export function hasPaidMembers(jury: Jury | Judge): boolean {
  let isFound = false
  withJudges(jury, (judge) => {
    isFound ||= isPaid(judge)
    return judge
  })
  return isFound
}

/** An experiment in which no member of a jury costs money. */
export interface FreeJudging {
  readonly experiment: ExperimentOptions
  /** The same for the jury of an item. */
  freed<Given extends Jury | Judge>(jury: Given): Given
  /** The names of the members that are left out, as far as they are known. */
  skipped(): readonly string[]
}

/**
 * The experiment without the members of its juries that cost money: they abstain, so that votes leave them out, and a tier
 * with no other members decides nothing.
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
