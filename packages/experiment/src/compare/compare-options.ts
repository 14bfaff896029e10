import { checkOptions, openRate, option, optionInvalid, printed } from '@jurist/core/internal'

/** How two runs are compared. */
export interface CompareOptions {
  /** The largest difference of a score that counts as no difference; one number, or by score. Default 1e-9. */
  readonly tolerance?: number | Readonly<Record<string, number>>
  /** The significance level of the conclusion. Default 0.05. */
  readonly alpha?: number
  /** The confidence level of intervals. Default 0.95. */
  readonly level?: number
  /**
   * The resamples of a plain percentile bootstrap. Default: 10,000 of one that is widened for few items, and above 2,000 items a normal
   * interval, where all of them agree.
   */
  readonly resamples?: number
  /** The seed of the bootstrap. Default 1. */
  readonly seed?: number
  /** Items below which the data are insufficient. Default 10. */
  readonly minimumPairs?: number
  /**
   * Conditions that may differ. Default: the conditions that experiments usually vary, and those in the variants' own
   * `conditions`.
   */
  readonly vary?: readonly string[]
  /** Compare although conditions differ: all (`true`), or those named. */
  readonly ignoreConditions?: boolean | readonly string[]
  /**
   * Whether both runs may grow and are compared as often as one likes: decided by evidence that holds at any time. Both need items in the
   * order of one seed: a sample of `jurist run --sample`, or a plan of `until: 'decided'`. Default `false`.
   */
  readonly sequential?: boolean
  /** With `sequential`: how much worse still counts as not worse, such as 0.05. Default: no margin. */
  readonly margin?: number
}

export interface CompareSettings {
  readonly toleranceOf: (key: string) => number
  readonly alpha: number
  readonly level: number
  readonly resamples: number | undefined
  readonly seed: number
  readonly minimumPairs: number
  readonly vary: readonly string[] | undefined
  readonly ignores: (condition: string) => boolean
  readonly sequential: boolean
  readonly margin: number | null
}

const defaultTolerance = 1e-9

export const defaultAlpha = 0.05

const rules = {
  tolerance: option.either(option.nonNegative, option.record),
  alpha: openRate,
  level: openRate,
  resamples: option.integer(1),
  seed: option.integer(Number.MIN_SAFE_INTEGER),
  minimumPairs: option.integer(1),
  vary: option.strings,
  ignoreConditions: option.either(option.boolean, option.strings),
  sequential: option.boolean,
  margin: openRate,
}

/**
 * Checks the options of `compare`.
 *
 * @throws `option-invalid` naming everything that is wrong
 */
export function compareSettings(options?: CompareOptions): CompareSettings {
  const given = checkOptions('compare', options, rules)
  const {
    tolerance = defaultTolerance,
    alpha = defaultAlpha,
    level = 0.95,
    resamples,
    seed = 1,
    minimumPairs = 10,
  } = given
  const { vary, ignoreConditions = false, sequential = false, margin = null } = given
  if (margin !== null && !sequential) optionInvalid('margin', 'compare: "margin" needs "sequential".')
  if (typeof tolerance !== 'number') checkAmounts('compare', 'tolerance', tolerance)
  return {
    toleranceOf: (key) => (typeof tolerance === 'number' ? tolerance : (tolerance[key] ?? defaultTolerance)),
    alpha,
    level,
    resamples,
    seed,
    minimumPairs,
    sequential,
    margin,
    vary,
    ignores: (condition) =>
      typeof ignoreConditions === 'boolean' ? ignoreConditions : ignoreConditions.includes(condition),
  }
}

/** Refuses a record of numbers by score in which one is not a finite number of at least 0. */
export function checkAmounts(where: string, name: string, amounts: Readonly<Record<string, number>>): void {
  const bad = Object.entries(amounts).filter(([, amount]) => !(Number.isFinite(amount) && amount >= 0))
  if (bad.length === 0) return
  const said = bad.map(
    ([key, amount]) => `"${name}" of ${key} must be a finite number of at least 0, not ${printed(amount)}`,
  )
  optionInvalid(name, `${where}: ${said.join('; ')}.`)
}
