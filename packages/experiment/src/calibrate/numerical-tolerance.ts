import { effectiveScore, JuristError } from '@jurist/core'
import { checkOptions, option, printed } from '@jurist/core/internal'
import { labelMissing, undecided } from './exact-match.js'
import { type JudgeScorer, unscored } from './scorer.js'
import { type LabelRange, withKind } from './scorer-kind.js'

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Binary fractions: a difference of exactly the tolerance is within it. */
const accident = 1e-9

/**
 * Scores a judgment by its number: its effective score and the label, both on 0 to 1, differ by `tolerance` at most. The
 * score of the match is 1 less the difference.
 *
 * @param tolerance from 0 to 1
 * @param options.labelRange what labels are measured on. Default 0 to 1
 * @throws `option-invalid`
 *
 * @example
 * numericalTolerance(0.1, { labelRange: { min: 1, max: 5 } })
 */
export function numericalTolerance(
  tolerance: number,
  options?: { readonly labelRange?: { readonly min: number; readonly max: number } },
): JudgeScorer {
  const { labelRange } = checkOptions('numericalTolerance', options, { labelRange: option.record })
  const range = rangeOf(labelRange ?? { min: 0, max: 1 })
  if (!option.rate.holds(tolerance))
    refuse('tolerance', `"tolerance" must be ${option.rate.wants}, not ${printed(tolerance)}`)
  function labelProblem(given: string): string | null {
    const text = given.trim()
    const label = decimal.test(text) ? Number(text) : Number.NaN
    if (!Number.isFinite(label)) return `Expected numeric label, not ${JSON.stringify(text)}`
    return label < range.min || label > range.max ? `The label ${text} lies outside ${range.min} to ${range.max}` : null
  }
  const scorer: JudgeScorer = function numericalTolerance({ actual, expectedLabel }) {
    const text = expectedLabel?.trim() ?? ''
    if (text === '') return labelMissing
    const problem = labelProblem(text)
    if (problem !== null) return unscored('label-invalid', problem)
    const label = Number(text)
    const open = undecided(actual, '')
    if (open !== null) return open
    const predicted = effectiveScore(actual)
    if (predicted === undefined) return unscored('no-measurement', 'The candidate gave no number')
    const expected = (label - range.min) / (range.max - range.min)
    const difference = Math.abs(predicted - expected)
    return {
      scored: true,
      match: difference <= tolerance + accident,
      score: Math.max(0, 1 - difference),
      expected: String(expected),
      predicted: String(predicted),
      reasoning: `${predicted} and ${expected} differ by ${difference}, ${tolerance} allowed`,
    }
  }
  return withKind(scorer, { numeric: range, options: { tolerance, ...range }, labelProblem })
}

function rangeOf({ min, max, ...rest }: Partial<LabelRange>): LabelRange {
  if (
    typeof min === 'number' &&
    typeof max === 'number' &&
    Number.isFinite(max - min) &&
    min < max &&
    Object.keys(rest).length === 0
  )
    return { min, max }
  return refuse('labelRange', `"labelRange" must be finite numbers { min, max } with min below max`)
}

function refuse(name: string, problem: string): never {
  throw new JuristError('option-invalid', `numericalTolerance: ${problem}.`, { option: name })
}
