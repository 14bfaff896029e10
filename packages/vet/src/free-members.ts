import { abstain, infoOf, type Judge, type Jury } from '@jurist/core'
import { modelsUsedBy, withJudges } from '@jurist/core/internal'

/**
 * Whether asking a judge costs money: it asks a model or an agent. A custom judge that calls a model without saying so
 * (`withInfo`) counts as free.
 */
export function isPaid(judge: Judge): boolean {
  return infoOf(judge).kind !== 'deterministic' || modelsUsedBy(judge).length > 0
}

/** What is left of a jury without the members that cost money. */
export interface FreeJury {
  /** In the place of those members it abstains. */
  readonly jury: Jury | Judge
  /** The names of the members that are left out. */
  readonly skipped: readonly string[]
}

/**
 * A jury that asks no model: its members that do so abstain, so that votes leave them out, and a tier that only such members
 * judge decides nothing.
 */
export function freeMembersOf(jury: Jury | Judge): FreeJury {
  const skipped: string[] = []
  const free = withJudges(jury, (judge) => {
    if (!isPaid(judge)) return judge
    const { name } = infoOf(judge)
    skipped.push(name)
    return () => abstain(`${name} was left out: it costs money`)
  })
  return { jury: free, skipped: [...new Set(skipped)] }
}
