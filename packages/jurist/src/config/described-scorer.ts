import { checkOptions, failureOf, isPlainObject, option, type Place, printed } from '@jurist/core/internal'
import {
  exactCategoryMatch,
  exactVerdictMatch,
  type JudgeScorer,
  numericalTolerance,
} from '@jurist/experiment/calibrate'
import type { Reading } from './reading.js'

type Options = Readonly<Record<string, unknown>>

/** Scorers by their names in YAML and JSON. Each factory checks its own options. */
const scorers: Readonly<Record<string, (options: Options) => JudgeScorer>> = {
  'exact-verdict-match': (options) => {
    checkOptions('exact-verdict-match', options, {})
    return exactVerdictMatch()
  },
  'exact-category-match': (options) => exactCategoryMatch(options),
  'numerical-tolerance': ({ tolerance, ...options }) => {
    checkOptions('numerical-tolerance', { tolerance }, { tolerance: option.rate })
    return numericalTolerance(tolerance as number, options)
  },
}

/** Every `type` that a scorer may have. */
export const scorerNames: readonly string[] = Object.keys(scorers)

/** The scorer that `{type, …options}` describes; what cannot be read is reported. */
export function describedScorer(value: unknown, place: Place, { report }: Reading): JudgeScorer | undefined {
  const { type, ...options } = isPlainObject(value) ? value : { type: value }
  const make = typeof type === 'string' && Object.hasOwn(scorers, type) ? scorers[type] : undefined
  if (make === undefined) {
    report(place, `${printed(value)} is no scorer.`, `Scorers: ${scorerNames.join(', ')}.`)
    return undefined
  }
  try {
    return make(options)
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
}
