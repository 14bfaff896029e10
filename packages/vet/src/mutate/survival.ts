import { widenedBootstrap } from '@jurist/experiment/internal/results'
import type { Interval } from '@jurist/experiment/result'
import type { ItemMutants, JudgedMutant, MutantFate, Survival } from './mutation-report.js'

/** Whether a mutant counts in shares. */
export function isJudged({ outcome }: Pick<MutantFate, 'outcome'>): boolean {
  return outcome === 'killed' || outcome === 'timeout' || outcome === 'survived'
}

/** The survival of the mutants of some kind: the mean over items, so that an item with many mutants counts as one. */
export function survivalByItem(
  items: readonly ItemMutants[],
  isWanted: (mutant: JudgedMutant) => boolean = () => true,
): Survival {
  const groups = items.map(({ mutants }) => mutants.filter((one) => isJudged(one) && isWanted(one)))
  const shares = groups.filter((group) => group.length > 0).map((group) => survivors(group) / group.length)
  const judged = groups.flat()
  return {
    judged: judged.length,
    survived: survivors(judged),
    mean: shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    interval: withinShares(widenedBootstrap(shares)),
  }
}

/** An interval of a share: few items widen it beyond what a share can be. */
function withinShares(interval: Interval | null): Interval | null {
  if (interval === null) return null
  return { ...interval, low: Math.max(0, interval.low), high: Math.min(1, interval.high) }
}

/** The survival of each operator: the mean over items, too. */
export function operatorSurvivals(items: readonly ItemMutants[]): Readonly<Record<string, Survival>> {
  const mutants = items.flatMap((item) => item.mutants).filter(isJudged)
  const names = [...new Set(mutants.map(({ operator }) => operator))].sort()
  return Object.fromEntries(
    names.map((name) => {
      return [name, survivalByItem(items, ({ operator }) => operator === name)]
    }),
  )
}

function survivors(mutants: readonly JudgedMutant[]): number {
  return mutants.filter(({ outcome }) => outcome === 'survived').length
}
