import { JuristError } from './errors.js'
import { isObject } from './json.js'
import { checkOptions, option, printed } from './options.js'

const { anything } = option

/** Yes or no. */
export interface BooleanScore {
  readonly type: 'boolean'
  readonly value: boolean
}
/** A number on a range. */
export interface NumericalScore {
  readonly type: 'numerical'
  readonly value: number
  readonly min: number
  readonly max: number
}
/** One label of several; `scale` may give labels a number within [0, 1]. */
export interface CategoricalScore {
  readonly type: 'categorical'
  readonly value: string
  readonly allowed: readonly string[]
  readonly scale?: { readonly [label: string]: number }
}
/** The score of a judgment. */
export type Score = BooleanScore | NumericalScore | CategoricalScore

/**
 * Creates a score from a boolean.
 *
 * @example
 * import { boolean } from '@jurist/core'
 *
 * boolean(true) // { type: 'boolean', value: true }
 */
export function boolean(value: boolean): BooleanScore {
  if (typeof value !== 'boolean') return refuse(`a boolean score must be true or false, not ${printed(value)}`, value)
  return value ? yes : no
}
const yes: BooleanScore = Object.freeze({ type: 'boolean', value: true })
const no: BooleanScore = Object.freeze({ type: 'boolean', value: false })

/**
 * Creates a score from a number on a range, by default [0, 1].
 *
 * @throws `score-invalid` when a number is not finite, `min > max`, or the value is outside the range
 *
 * @example
 * import { numerical } from '@jurist/core'
 *
 * numerical(75, { max: 100 })
 */
export function numerical(value: number, range?: { readonly min?: number; readonly max?: number }): NumericalScore {
  const { min = 0, max = 1 } = checkOptions('numerical', range, { min: anything, max: anything })
  if (![value, min, max].every(Number.isFinite))
    return refuse(`value, min and max must be finite numbers, not ${value}, ${min}, ${max}`, value)
  if (min > max) return refuse(`min ${min} is above max ${max}; swap them`, value)
  if (value < min || value > max)
    return refuse(`${value} lies outside ${min} to ${max}; give the range it was measured on`, value)
  return Object.freeze({ type: 'numerical', value: value + 0, min: min + 0, max: max + 0 })
}

/**
 * Creates a score from one label of `allowed` (case-sensitive). Labels in `scale` have a number within [0, 1]; the
 * others have none.
 *
 * @throws `score-invalid` when the label is not allowed, a label is blank or repeated, or the scale is wrong
 *
 * @example
 * import { categorical } from '@jurist/core'
 *
 * categorical('good', ['poor', 'good'], { scale: { poor: 0, good: 1 } })
 */
export function categorical(
  value: string,
  allowed: readonly string[],
  options?: { readonly scale?: { readonly [label: string]: number } },
): CategoricalScore {
  // Spreading turns holes into undefined, which is rejected below.
  const labels = Array.isArray(allowed) && Object.freeze([...allowed])
  if (!labels || labels.some((label) => typeof label !== 'string' || label.trim() === ''))
    return refuse('every allowed label must be a non-blank string', value)
  if (new Set(labels).size !== labels.length) return refuse('a label is allowed twice; name each once', value)
  if (!labels.includes(value))
    return refuse(`${printed(value)} is not among ${labels.join(', ') || 'no labels'}`, value)
  const { scale } = checkOptions('categorical', options, { scale: option.record })
  const score = { type: 'categorical', value, allowed: labels } as const
  return Object.freeze(scale ? { ...score, scale: checkedScale(scale, labels, value) } : score)
}

function checkedScale(scale: { readonly [label: string]: number }, allowed: readonly string[], value: string) {
  const entries = Object.entries(scale).map(([label, number]): [string, number] => {
    if (allowed.includes(label) && option.rate.holds(number)) return [label, number + 0]
    return refuse(
      `the scale gives ${printed(label)} ${printed(number)}; name allowed labels and numbers from 0 to 1`,
      value,
    )
  })
  return Object.freeze(Object.fromEntries(entries))
}

/**
 * Returns the score on [0, 1]: `true` is 1, `false` is 0; a number by its range (a range of one point is 1); a label by
 * its scale. `undefined` when a label has no number.
 *
 * @example
 * import { normalize, numerical } from '@jurist/core'
 *
 * normalize(numerical(75, { max: 100 })) // 0.75
 */
export function normalize(score: Score): number | undefined {
  switch (score.type) {
    case 'boolean':
      return score.value ? 1 : 0
    case 'numerical':
      return fraction(score)
    case 'categorical':
      return score.scale !== undefined && Object.hasOwn(score.scale, score.value) ? score.scale[score.value] : undefined
    default:
      return score satisfies never
  }
}

function fraction({ value, min, max }: NumericalScore): number {
  if (min === max) return 1
  const width = max - min
  // The range is wider than the largest number. Halving everything is exact at that size.
  return Number.isFinite(width) ? (value - min) / width : (value / 2 - min / 2) / (max / 2 - min / 2)
}

/** Applies the checks of the factories to a score from JSON or from a user. Drops unknown keys. */
export function readScore(value: unknown): Score {
  if (value === yes || value === no) return value as BooleanScore
  if (!isObject(value)) return refuse(`${printed(value)} is not an object`, value)
  const given = value as Score
  switch (given.type) {
    case 'boolean':
      return boolean(given.value)
    case 'numerical':
      return numerical(given.value, { min: given.min, max: given.max })
    case 'categorical':
      return categorical(given.value, given.allowed, given.scale === undefined ? {} : { scale: given.scale })
    default:
      return refuse('a score has type "boolean", "numerical" or "categorical"', value)
  }
}

/**
 * Whether `value` reaches `threshold`: inclusive, with a tolerance of 1e-9 for rounding.
 *
 * @example
 * import { meets } from '@jurist/core'
 *
 * meets(0.1 + 0.2, 0.3) // true
 * meets(0.29, 0.3) // false
 */
export function meets(value: number, threshold: number): boolean {
  return value + 1e-9 >= threshold
}

/**
 * Returns two decimals, or as many as it takes for the printed numbers to agree with `meets`: 0.599 must not be printed
 * as 0.6 next to a threshold of 0.6. A score below 1 is never printed as 1, nor one above 0 as 0.
 */
export function decimalsBeside(value: number, threshold: number): number {
  const most = 12
  for (let decimals = 2; decimals < most; decimals++) {
    const [shown, bar] = [rounded(value, decimals), rounded(threshold, decimals)]
    const isTold = [0, 1].every((end) => shown !== end || Math.abs(value - end) < 1e-9)
    if (isTold && shown >= bar === meets(value, threshold)) return decimals
  }
  return most
}

/** Such as `['0.5', '0.6']`; the same in every locale. */
export function besideThreshold(value: number, threshold: number): readonly [string, string] {
  const decimals = decimalsBeside(value, threshold)
  return [String(rounded(value, decimals)), String(rounded(threshold, decimals))]
}

function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals
}

function refuse(problem: string, value: unknown): never {
  throw new JuristError('score-invalid', `Not a score: ${problem}.`, { value: printed(value) })
}
