import type { Json, JsonObject } from '@jurist/core'
import { checkOptions, isPlainObject } from '@jurist/core/internal'
import type { ExperimentResult } from '../../result/records.js'
import { type AltTestSettings, altTestSettings, type ReportOptions, reportRules } from '../calibrate-options.js'
import type { LabelRange } from '../scorer.js'

/** How the numbers of a report are reached. */
export interface ReportSettings extends LabelScale, Required<Omit<ReportOptions, 'ordinal' | 'altTest'>> {
  readonly altTest: AltTestSettings
  /** Whether predictions are the categories of scores, not statuses. */
  readonly byCategory: boolean
  readonly isJury: boolean
}

/**
 * The settings of a report: those of the caller, else those of the run, else the defaults.
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

/** The options that were stored with the run. Invalid ones are left out. */
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

/** The classes that the labels of a calibration fall into. */
export interface LabelClasses {
  /** The class of an expected or predicted value of a scorer. */
  readonly of: (text: string) => string
  /** The class of a label as written; `null` when it belongs to no class. */
  readonly ofLabel: (label: string) => string | null
  /** Classes that are there even when no trial is in them, in their order; `null`: whatever occurs, sorted. */
  readonly fixed: readonly string[] | null
}

/** Maps values and labels to classes. */
export interface LabelScale {
  /** The range of labels that are numbers; `null`: they are names. */
  readonly numeric: LabelRange | null
  readonly ordinal: readonly string[] | null
  readonly aliases: Readonly<Record<string, string>>
}

const below = 'below 0.5'
const atOrAbove = 'at or above 0.5'
const accident = 1e-9

/** The classes of a scale: its names, the names of `ordinal`, or of numbers two halves. */
export function labelClasses({ numeric, ordinal, aliases }: LabelScale): LabelClasses {
  if (numeric !== null) return numberClasses(numeric, ordinal)
  const spelling = new Map((ordinal ?? []).map((label) => [label.toLowerCase(), label]))
  const of = (text: string) => spelling.get(text.toLowerCase()) ?? text
  function ofLabel(label: string): string {
    const word = label.trim().toLowerCase()
    return of((Object.hasOwn(aliases, word) ? aliases[word] : undefined) ?? word)
  }
  return { of, ofLabel, fixed: ordinal }
}

/** With `ordinal` its labels are at equal distances over the range, and a number belongs to the nearest. */
function numberClasses({ min, max }: LabelRange, ordinal: readonly string[] | null): LabelClasses {
  const last = (ordinal?.length ?? 0) - 1
  const ofNumber = (value: number) =>
    ordinal?.[Math.round(Math.min(1, Math.max(0, value)) * last)] ?? (value + accident >= 0.5 ? atOrAbove : below)
  return {
    of: (text) => ofNumber(Number(text)),
    ofLabel(label) {
      const value = (Number(label) - min) / (max - min)
      return label.trim() !== '' && value >= 0 && value <= 1 ? ofNumber(value) : null
    },
    fixed: ordinal ?? [below, atOrAbove],
  }
}
