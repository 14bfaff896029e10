import { grouped, three } from './amounts.js'
import type { ScoreSummary } from './summary.js'

/** The mean of a score with its standard error, and of how many trials. */
export interface ScoreMean {
  readonly name: string
  readonly mean: string
  /** `± 0.021, n = 36`; without the error below two items. */
  readonly basis: string
}

/**
 * The means of scores that are more than passes and fails: those are counted already.
 *
 * @example
 * scoreMeans(result.scores) // [{ name: 'style', mean: '0.784', basis: '± 0.021, n = 36' }]
 */
export function scoreMeans(scores: Readonly<Record<string, ScoreSummary>>): readonly ScoreMean[] {
  return Object.entries(scores).flatMap(([name, summary]) => (isCounted(summary) ? [] : [meanOf(name, summary)]))
}

function meanOf(name: string, { mean, standardError, n }: ScoreSummary): ScoreMean {
  const error = standardError === null ? '' : `± ${three(standardError)}, `
  return { name, mean: three(mean), basis: `${error}n = ${grouped(n)}` }
}

/** Whether every value may be 0 or 1. */
function isCounted({ min, max, mean, n }: ScoreSummary): boolean {
  const sum = mean * n
  return [min, max].every((value) => value === 0 || value === 1) && Math.abs(sum - Math.round(sum)) < 1e-9
}

/**
 * The means of scores on one line.
 *
 * @example
 * scoreMeansText(result.scores) // 'style 0.784 (± 0.021, n = 36)'
 */
export function scoreMeansText(scores: Readonly<Record<string, ScoreSummary>>): string {
  return scoreMeans(scores)
    .map(({ name, mean, basis }) => `${name} ${mean} (${basis})`)
    .join('  ')
}
