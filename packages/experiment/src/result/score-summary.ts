import type { ItemResult } from './records.js'
import { clusteredStandardError, meanOf } from './statistics/standard-error.js'
import type { ScoreSummary } from './summary.js'

/** The values of one score, and the item of each. */
interface Collected {
  readonly values: number[]
  readonly items: string[]
  judged: number
}

/** Every score that `numbersOf` finds in a trial, summed up over the trials; keys in the order of appearance. */
export function scoreSummaries(
  items: readonly ItemResult[],
  numbersOf: (item: ItemResult) => Readonly<Record<string, number>> | null,
): Readonly<Record<string, ScoreSummary>> {
  const byKey = new Map<string, Collected>()
  let judgedTrials = 0
  for (const item of items) {
    const judged = item.judged === 'not-judged' ? 0 : 1
    judgedTrials += judged
    for (const [key, value] of Object.entries(numbersOf(item) ?? {})) {
      const collected = byKey.get(key) ?? { values: [], items: [], judged: 0 }
      collected.values.push(value)
      collected.items.push(item.itemId)
      collected.judged += judged
      byKey.set(key, collected)
    }
  }
  return Object.fromEntries([...byKey].map(([key, collected]) => [key, summaryOf(collected, judgedTrials)]))
}

function summaryOf({ values, items, judged }: Collected, judgedTrials: number): ScoreSummary {
  return {
    n: values.length,
    missing: judgedTrials - judged,
    mean: meanOf(values),
    min: values.reduce((least, value) => Math.min(least, value)),
    max: values.reduce((most, value) => Math.max(most, value)),
    // Without repetitions every item is a cluster of one, and this is the ordinary standard error.
    standardError: clusteredStandardError(values, items),
  }
}
