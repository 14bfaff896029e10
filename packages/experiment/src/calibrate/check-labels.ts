import { optionInvalid } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { DatasetProblem } from '../dataset/problem.js'
import type { CalibrateSettings } from './calibrate-options.js'
import { scorerInfo } from './scorer.js'

/** Throws `option-invalid` if no label can be used. */
export function refuseWithoutLabels(settings: CalibrateSettings, items: readonly DatasetItem[]): void {
  const fatal = labelProblemsIn(settings, items, settings.name).find(({ severity }) => severity === 'error')
  if (fatal === undefined) return
  const { problem, remedy } = fatal
  optionInvalid('items', `calibrate: ${problem} ${remedy}`)
}

/** Whether annotators rated any item. A function that throws is reported by its trial. */
function hasAnnotators({ annotators }: CalibrateSettings, items: readonly DatasetItem[]): boolean {
  return items.some((item) => {
    try {
      return Object.keys(annotators(item) ?? {}).length > 0
    } catch {
      return true
    }
  })
}

interface Labelled {
  readonly id: string
  /** `undefined` without a label; `null` when the option `expected` threw, which its trial reports. */
  readonly label: string | null | undefined
  readonly problem: string | null
}

export function labelProblemsIn(
  settings: CalibrateSettings,
  items: readonly DatasetItem[],
  file: string,
): readonly DatasetProblem[] {
  const labelled = items.map((item) => labelledBy(settings, item))
  const missing = labelled.filter(({ label }) => label === undefined)
  const invalid = labelled.filter(({ problem }) => problem !== null)
  const usable = items.length - missing.length - invalid.length
  const isAnnotated = hasAnnotators(settings, items)
  // The alternative annotator test, and whether a judge agrees with itself, need no label.
  const isUnlabelled = isAnnotated || settings.swap !== undefined || settings.repetitions > 1
  const severity = usable === 0 && !isUnlabelled ? 'error' : 'warning'
  const found = (problem: string, remedy: string): DatasetProblem => {
    return { file, item: null, field: 'label', problem, remedy, severity }
  }
  return [
    ...(missing.length === 0 || isAnnotated
      ? []
      : [found(`${countOf(missing, items)} no label${namesOf(missing, items)}.`, labelRemedy(items))]),
    ...(invalid.length === 0
      ? []
      : [
          found(
            `${countOf(invalid, items)} a label that cannot be read${namesOf(invalid, items)}: ${invalid[0]?.problem}.`,
            'Correct it, or choose another scorer.',
          ),
        ]),
  ]
}

function labelledBy({ expected, scorer }: CalibrateSettings, item: DatasetItem): Labelled {
  const { id } = item
  try {
    const label: unknown = expected(item)
    if (typeof label !== 'string' || label.trim() === '') return { id, label: undefined, problem: null }
    return { id, label, problem: scorerInfo(scorer).labelProblem?.(label) ?? null }
  } catch {
    return { id, label: null, problem: null }
  }
}

function countOf(some: readonly Labelled[], items: readonly DatasetItem[]): string {
  if (some.length === items.length) return some.length === 1 ? 'the only item has' : `all ${items.length} items have`
  return `${some.length} of ${items.length} items ${some.length === 1 ? 'has' : 'have'}`
}

function namesOf(some: readonly Labelled[], items: readonly DatasetItem[]): string {
  if (some.length === items.length) return ''
  const names = some.slice(0, 3).map(({ id }) => id)
  return ` (${names.join(', ')}${some.length > names.length ? ', …' : ''})`
}

const shown = 12

/** The fields in which labels are expected, and the fields that the items have instead. */
function labelRemedy(items: readonly DatasetItem[]): string {
  const keys = [...new Set(items.flatMap(({ metadata }) => Object.keys(metadata)))]
  const others = keys.filter((key) => key !== 'label' && key !== 'expectedVerdict')
  const has =
    others.length === 0
      ? 'The items have no metadata.'
      : `The items have: ${others.slice(0, shown).join(', ')}${others.length > shown ? ', …' : ''}.`
  return `A label is metadata.label (a column "label" or "verdict") or metadata.expectedVerdict. ${has} Name the column with "items": { path, columns: { label } }, or give the option "expected".`
}
