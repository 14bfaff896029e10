import type { Json, JsonObject } from '@jurist/core'
import { checkOptions, isPlainObject } from '@jurist/core/internal'
import type { ExperimentResult } from '../../result/records.js'
import { type AltTestSettings, altTestSettings } from '../alt-test-options.js'
import { type ReportOptions, reportRules } from '../calibrate-options.js'
import type { LabelRange } from '../scorer-kind.js'
import type { LabelScale } from './label-classes.js'

/** How the numbers of a report are reached. */
export interface ReportSettings extends LabelScale, Required<Omit<ReportOptions, 'ordinal' | 'altTest'>> {
  readonly altTest: AltTestSettings
  /** Whether predictions are the categories of scores, not statuses. */
  readonly byCategory: boolean
  /** Whether the candidate was a jury. */
  readonly isJury: boolean
}

/**
 * The settings of a report: what the caller gives, else what the run was made with, else the defaults.
 *
 * @throws `option-invalid`
 */
export function reportSettings({ configuration }: ExperimentResult, options?: ReportOptions): ReportSettings {
  const given = checkOptions<ReportOptions>('calibrationOf', options, reportRules)
  const stored = storedOptions(configuration)
  const { ordinal = null, level = 0.95, resamples = 10_000, seed = 1, altTest } = { ...stored, ...given }
  const scorer = recordAt(configuration, 'scorer')
  return {
    ordinal,
    level,
    resamples,
    seed,
    altTest: altTestSettings(altTest),
    numeric: rangeOf(recordAt(scorer, 'numeric')),
    aliases: textsOf(recordAt(recordAt(scorer, 'options'), 'aliases')),
    byCategory: fieldOf(scorer, 'name') === 'exactCategoryMatch',
    isJury: fieldOf(recordAt(configuration, 'candidate'), 'isJury') === true,
  }
}

/** Options that were stored with the run; what is not as it must be is not there. */
function storedOptions(configuration: JsonObject): ReportOptions {
  const names = Object.keys(reportRules) as (keyof ReportOptions)[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = fieldOf(configuration, name)
      return value !== null && reportRules[name].holds(value) ? [[name, value]] : []
    }),
  )
}

function rangeOf(range: JsonObject): LabelRange | null {
  const [min, max] = [fieldOf(range, 'min'), fieldOf(range, 'max')]
  return typeof min === 'number' && typeof max === 'number' ? { min, max } : null
}

function textsOf(record: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function recordAt(record: JsonObject, name: string): JsonObject {
  const value = fieldOf(record, name)
  return isPlainObject(value) ? (value as JsonObject) : {}
}

function fieldOf(record: JsonObject, name: string): Json {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null
}
