import { clusteredStandardError, meanOf, standardError } from './statistics/standard-error.js'
import type { ScoreSummary } from './summary.js'
import type { TrialFigures } from './trial-figures.js'

/** The values of one score, and the item of each when items were repeated. */
interface Collected {
  readonly values: number[]
  readonly items: string[]
  judged: number
}

/**
 * Every score that `numbersOf` finds in a trial, summed up over the trials; keys in the order of appearance.
 *
 * @param repeated whether an item has more than one trial
 */
export function scoreSummaries(
  items: readonly TrialFigures[],
  repeated: boolean,
  numbersOf: (item: TrialFigures) => Readonly<Record<string, number>> | null,
): Readonly<Record<string, ScoreSummary>> {
  const byKey = new Map<string, Collected>()
  let judgedTrials = 0
  for (const item of items) {
    const judged = item.judged === 'not-judged' ? 0 : 1
    judgedTrials += judged
    const numbers = numbersOf(item)
    for (const key in numbers) {
      const collected = byKey.get(key) ?? { values: [], items: [], judged: 0 }
      collected.values.push(numbers[key] as number)
      if (repeated) collected.items.push(item.itemId)
      collected.judged += judged
      if (collected.values.length === 1) byKey.set(key, collected)
    }
  }
  return Object.fromEntries([...byKey].map(([key, collected]) => [key, summaryOf(collected, judgedTrials, repeated)]))
}

function summaryOf({ values, items, judged }: Collected, judgedTrials: number, repeated: boolean): ScoreSummary {
  return {
    n: values.length,
    missing: judgedTrials - judged,
    mean: meanOf(values),
    min: values.reduce((least, value) => Math.min(least, value)),
    max: values.reduce((most, value) => Math.max(most, value)),
    // Without repetitions every item is a cluster of one, for which the two are the same.
    standardError: repeated ? clusteredStandardError(values, items) : standardError(values),
  }
}
