import { flatten, type Judgment, normalize, type Verdict } from '@jurist/core'
import { decimalsBeside, isPlainObject } from '@jurist/core/internal'
import { grouped, rounded, score, three } from './amounts.js'
import { clusteredStandardError, meanOf, standardError } from './statistics/descriptive.js'
import type { ScoreSummary } from './summary.js'
import type { SummarizedTrial } from './trial-figures.js'

/**
 * The scores of a verdict in [0, 1], by the place of the judge: `judge`, `tier/judge`, `member/inner`. A member that is a
 * jury has its own score; the verdict as a whole does not. Judgments without a number have no key.
 *
 * @example
 * import { jury, outputText } from '@jurist/core'
 * import { aContext } from '@jurist/core/testing'
 * import { scoresOf } from '@jurist/experiment/result'
 *
 * const verdict = await jury({ judges: { greeting: outputText({ contains: 'Hello' }) } }).vote(aContext({ agentOutput: 'Hello!' }))
 * scoresOf(verdict) // { greeting: 1 }
 */
export function scoresOf(verdict: Verdict): Readonly<Record<string, number>> {
  const [, ...rows] = flatten(verdict)
  const scores: Record<string, number> = {}
  for (const { path, judgment } of rows) {
    const score = judgment.score === undefined ? undefined : normalize(judgment.score)
    if (score !== undefined) scores[path.slice(1)] = score
  }
  return scores
}

/**
 * A score that a judgment gives, rounded as its reasoning rounds it: beside the threshold of a vote it has as many
 * decimals as it takes to not contradict the status.
 *
 * @param value the score, on the scale on which it is shown
 */
export function judgmentScore(value: number, { metadata: { aggregation } }: Judgment): string {
  const options = isPlainObject(aggregation) ? aggregation.options : undefined
  const threshold = isPlainObject(options) ? options.threshold : undefined
  return typeof threshold === 'number' ? rounded(value, decimalsBeside(value, threshold)) : score(value)
}

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
  items: readonly SummarizedTrial[],
  repeated: boolean,
  numbersOf: (item: SummarizedTrial) => Readonly<Record<string, number>> | null,
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

/** The mean of a score with its standard error, and of how many trials. */
export interface ScoreMean {
  readonly name: string
  readonly mean: string
  /** `± 0.021, n = 36`; without the error below two items. */
  readonly basis: string
}

/** The means of scores that are more than passes and fails: those are counted already. */
export function scoreMeans(scores: Readonly<Record<string, ScoreSummary>>): readonly ScoreMean[] {
  return Object.entries(scores).flatMap(([name, summary]) => (isCounted(summary) ? [] : [shownMean(name, summary)]))
}

function shownMean(name: string, { mean, standardError, n }: ScoreSummary): ScoreMean {
  const error = standardError === null ? '' : `± ${three(standardError)}, `
  return { name, mean: three(mean), basis: `${error}n = ${grouped(n)}` }
}

/** Whether every value may be 0 or 1. */
function isCounted({ min, max, mean, n }: ScoreSummary): boolean {
  const sum = mean * n
  return [min, max].every((value) => value === 0 || value === 1) && Math.abs(sum - Math.round(sum)) < 1e-9
}

/** The means of scores on one line. */
export function scoreMeansText(scores: Readonly<Record<string, ScoreSummary>>): string {
  return scoreMeans(scores)
    .map(({ name, mean, basis }) => `${name} ${mean} (${basis})`)
    .join('  ')
}

/**
 * Keys of scores of single judges, in the order of the jury; those of the tiers and juries that judges sit in follow from
 * them.
 */
export function judgeKeys(keys: Iterable<string>): readonly string[] {
  const all = [...new Set(keys)]
  const above = new Set(all.flatMap((key) => ancestors(key)))
  return all.filter((key) => !above.has(key))
}

function ancestors(key: string): readonly string[] {
  const segments = key.split('/')
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))
}
