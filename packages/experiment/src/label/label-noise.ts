import type { ItemResult } from '../result/records.js'
import type { Label } from './label.js'
import { peopleOn } from './labelled-trials.js'

/** How often a judge says what labels say. */
interface Matches {
  readonly matches: number
  readonly of: number
}

/**
 * A judge against labels, by how far people agree. Where people agree, a difference is most likely an error of the judge. Where
 * they differ, no judge can agree with all of them: there every label counts by itself.
 */
export interface JudgeOnLabels {
  readonly judge: string
  /** Trials on which several people agree. */
  readonly agreed: Matches
  /** Trials that one person labelled. */
  readonly single: Matches
  /** Labels of the trials on which people differ. */
  readonly contested: Matches
}

/** Counts what a judge says of the labelled trials; what it did not decide counts nowhere. */
export function judgeOnLabels(
  judge: string,
  items: readonly ItemResult[],
  labels: ReadonlyMap<string, readonly Label[]>,
): JudgeOnLabels {
  const decided = items.flatMap(({ itemId, detail }) => {
    if (detail?.kind !== 'judge') return []
    const { status } = detail.judgment
    return status === 'pass' || status === 'fail' ? [{ status, labels: labels.get(itemId) ?? [] }] : []
  })
  const matchesOn = (people: ReturnType<typeof peopleOn>): Matches => {
    const trials = decided.filter((trial) => peopleOn(trial.labels) === people)
    // Where people agree, a trial counts once, however many labelled it.
    const compared = trials.flatMap(({ status, labels: own }) =>
      (people === 'differ' ? own : own.slice(0, 1)).map(({ label }) => label === status),
    )
    return { matches: compared.filter((isMatch) => isMatch).length, of: compared.length }
  }
  return { judge, agreed: matchesOn('agree'), single: matchesOn('one'), contested: matchesOn('differ') }
}
