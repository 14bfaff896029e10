import { effectiveScore, type Judgment } from '@jurist/core'
import {
  checkOptions,
  described,
  judgmentStatuses,
  type OptionDescriptions,
  option,
  optionInvalid,
  printed,
} from '@jurist/core/internal'
import type { JudgeScorerResult } from '../result/records.js'
import { type JudgeScorer, type LabelRange, rangeRule, unscored } from './scorer.js'

const statuses: ReadonlySet<string> = new Set(judgmentStatuses)

/**
 * Scores a judgment by its status: the label is `pass`, `fail`, `abstain` or `error`, case ignored.
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { calibrate, exactVerdictMatch } from '@jurist/experiment/calibrate'
 *
 * const candidate = outputText({ equals: '4' })
 * await calibrate({ name: 'sums', candidate, items: 'labelled.jsonl', scorer: exactVerdictMatch() })
 */
export function exactVerdictMatch(): JudgeScorer {
  const scorer: JudgeScorer = function exactVerdictMatch({ actual, expectedLabel }) {
    const label = wordOf(expectedLabel)
    if (label === '') return labelMissing
    const problem = statusProblem(label)
    return problem === null ? (undecided(actual, label) ?? matched(label, actual.status)) : invalid(problem)
  }
  return Object.assign(scorer, { info: { numeric: null, options: {}, labelProblem: statusProblem } })
}

function statusProblem(label: string): string | null {
  if (statuses.has(wordOf(label))) return null
  return `Expected the label pass, fail, abstain or error, not ${JSON.stringify(label)}`
}

function invalid(problem: string): JudgeScorerResult {
  return unscored('label-invalid', problem)
}

export const categoryMatchRules: OptionDescriptions<{ readonly aliases?: Readonly<Record<string, string>> }> = {
  aliases: {
    ...option.record,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    description: 'Other words for categories, by the word.',
  },
}

/**
 * Scores a judgment by its category, case ignored: the value of a categorical score, else the status.
 *
 * @param options.aliases other words for a category, on both sides
 * @throws `option-invalid`
 *
 * @example
 * import { exactCategoryMatch } from '@jurist/experiment/calibrate'
 *
 * const scorer = exactCategoryMatch({ aliases: { ok: 'pass', good: 'pass' } })
 */
export function exactCategoryMatch(options?: { readonly aliases?: Readonly<Record<string, string>> }): JudgeScorer {
  const { aliases = {} } = checkOptions('exactCategoryMatch', options, categoryMatchRules)
  const canonical = new Map(
    Object.entries(aliases).map(([alias, category]) => [wordOf(alias), aliased(alias, category)]),
  )
  function categoryOf(text: string | null): string {
    const word = wordOf(text)
    return canonical.get(word) ?? word
  }
  const scorer: JudgeScorer = function exactCategoryMatch({ actual, expectedLabel }) {
    const label = categoryOf(expectedLabel)
    if (label === '') return labelMissing
    return undecided(actual, label) ?? matched(label, categoryOf(categoryOrStatus(actual)))
  }
  return Object.assign(scorer, { info: { numeric: null, options: { aliases: Object.fromEntries(canonical) } } })
}

function aliased(alias: string, category: unknown): string {
  const word = typeof category === 'string' ? wordOf(category) : ''
  if (word !== '') return word
  optionInvalid(
    'aliases',
    `exactCategoryMatch: the alias ${JSON.stringify(alias)} must map to a category, a string that is not blank.`,
  )
}

/** The category of a score, else the status. */
export function categoryOrStatus(actual: Judgment): string {
  return actual.score?.type === 'categorical' ? actual.score.value : actual.status
}

function wordOf(text: string | null): string {
  return text === null ? '' : text.trim().toLowerCase()
}

const labelMissing: JudgeScorerResult = Object.freeze(unscored('label-missing', 'The item has no label'))

/** A candidate that decided nothing is not scored, unless the label expects that very status. */
function undecided({ status, reasoning }: Judgment, label: string): JudgeScorerResult | null {
  if (status === label) return null
  if (status === 'error') return unscored('candidate-error', reasoning)
  return status === 'abstain' ? unscored('abstained', reasoning) : null
}

function matched(expected: string, predicted: string): JudgeScorerResult {
  const match = expected === predicted
  const reasoning = match ? `${predicted}, as expected` : `${predicted}, but ${expected} was expected`
  return { scored: true, match, score: match ? 1 : 0, expected, predicted, reasoning }
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Binary fractions: a difference of exactly the tolerance is within it. */
const accident = 1e-9

export const toleranceRules: OptionDescriptions<{ readonly labelRange?: LabelRange }> = {
  labelRange: described(rangeRule, 'What labels are measured on. Default: 0 to 1.'),
}

/**
 * Scores a judgment by its number: its effective score and the label, both on 0 to 1, differ by `tolerance` at most. The
 * score of the match is 1 less the difference.
 *
 * @param tolerance from 0 to 1
 * @param options.labelRange what labels are measured on. Default 0 to 1
 * @throws `option-invalid`
 *
 * @example
 * import { numericalTolerance } from '@jurist/experiment/calibrate'
 *
 * const scorer = numericalTolerance(0.1, { labelRange: { min: 1, max: 5 } })
 */
export function numericalTolerance(
  tolerance: number,
  options?: { readonly labelRange?: { readonly min: number; readonly max: number } },
): JudgeScorer {
  const { labelRange } = checkOptions<{ readonly labelRange?: LabelRange }>(
    'numericalTolerance',
    options,
    toleranceRules,
  )
  const range = labelRange ?? { min: 0, max: 1 }
  if (!option.rate.holds(tolerance))
    optionInvalid(
      'tolerance',
      `numericalTolerance: "tolerance" must be ${option.rate.wants}, not ${printed(tolerance)}.`,
    )
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
  return Object.assign(scorer, { info: { numeric: range, options: { tolerance, ...range }, labelProblem } })
}
