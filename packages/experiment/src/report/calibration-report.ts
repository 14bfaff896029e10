import { checkOptions, option } from '@jurist/core/internal'
import { commandLine, plainCommandLine } from '@jurist/kit/command-line'
import { right } from '@jurist/kit/terminal'
import type { JudgeComparison, JudgeRow, JudgesCalibration } from '../calibrate/calibrate-judges.js'
import { notesOnLabels } from '../calibrate/calibrate-judges.js'
import type { CalibrationResult } from '../calibrate/calibration.js'
import type { CascadeCalibration } from '../certify/cascade-calibration.js'
import type { RunCalibration } from '../label/calibrate-run.js'
import {
  counted,
  dollars,
  grouped,
  methodName,
  percent,
  points,
  pValue,
  rateBounds,
  three,
  unknown,
} from '../result/amounts.js'
import { calibrationSections } from './content/calibration.js'
import { cascadeSections } from './content/certification.js'
import {
  errorSections,
  estimateSections,
  moreSections,
  noiseSection,
  peopleSections,
  readingSections,
} from './content/run-calibration.js'
import type { ComparisonReportOptions } from './report-options.js'
import { formatRules, lineSection, type Section, tableOf, valuesSection, writtenSections } from './sections.js'

/** How `calibrationReport` reports. */
export interface CalibrationReportOptions extends ComparisonReportOptions {
  /** Whether a report of a run with labels has every table, and trials of every judge. Default `false`: only the errors of the jury and its members. */
  readonly all?: boolean
}

/**
 * A calibration for a terminal or as Markdown: agreement with its interval, the measures beyond chance, the confusion
 * matrix, each class, the gain of a jury over its best member, consistency, reliability, and where candidate and label
 * disagree. Of several judges the table of all of them, and every two compared; of a cascade what is certified, and the
 * tests; of a labelled run first a sentence for each judge, then the true pass rate, how far people agree, and what to read
 * where the jury and the people differ.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { calibrate } from '@jurist/experiment/calibrate'
 * import { calibrationReport } from '@jurist/experiment/report'
 *
 * const strict = outputText({ equals: '4' })
 * console.log(calibrationReport(await calibrate({ name: 'strict', candidate: strict, items: 'labelled.jsonl' })))
 */
export function calibrationReport(
  calibration: CalibrationResult | JudgesCalibration | RunCalibration | CascadeCalibration,
  options?: CalibrationReportOptions,
): string {
  const { all = false, ...format } = checkOptions<CalibrationReportOptions>('calibrationReport', options, {
    ...formatRules,
    all: option.boolean,
  })
  const line = format.format === 'markdown' ? plainCommandLine : commandLine
  return writtenSections(sectionsOf(calibration, all, line), format)
}

function sectionsOf(
  calibration: CalibrationResult | JudgesCalibration | RunCalibration | CascadeCalibration,
  all: boolean,
  line: typeof commandLine,
): readonly Section[] {
  if ('people' in calibration)
    return [
      ...errorSections(calibration),
      ...estimateSections(calibration, line),
      ...peopleSections(calibration),
      ...(all
        ? [...judgesSections(calibration), ...noiseSection(calibration)]
        : lineSection('Notes', notesOnLabels(calibration))),
      ...readingSections(calibration, all, line),
      ...(all ? [] : moreSections(calibration, line)),
    ]
  if ('calibrations' in calibration) return judgesSections(calibration)
  return 'certificate' in calibration ? cascadeSections(calibration) : calibrationSections(calibration)
}

const mostComparisons = 50

/** Several judges side by side: how far each agrees, and each pair of them. */
function judgesSections({ name, table, comparisons, notes }: JudgesCalibration): readonly Section[] {
  return [
    { title: `Calibration ${name}: ${counted(table.length, 'judge')}`, ...judgeTable(table) },
    ...comparisonSection(comparisons),
    ...lineSection('Notes', notes),
  ]
}

function judgeTable(table: readonly JudgeRow[]): Pick<Section, 'lines' | 'table'> {
  const methods = [...new Set(table.flatMap(({ interval }) => (interval === null ? [] : methodName(interval))))]
  const level = table.find(({ interval }) => interval !== null)?.interval?.level
  const cells = tableOf(table, [
    ['Judge', ({ judge }) => judge],
    [right('Agrees'), ({ matches, scored }) => `${grouped(matches)} of ${grouped(scored)}`],
    [right('Agreement'), ({ agreement }) => percent(agreement)],
    [
      right(level === undefined ? 'Interval' : `${Number((level * 100).toFixed(2))} %`),
      ({ interval }) => (interval === null ? unknown : rateBounds(interval)),
    ],
    [right('Kappa', 1), ({ kappa }) => three(kappa)],
    [
      right('Flips', 4),
      ({ flipRate, flipPairs }) => (flipRate === null ? unknown : `${percent(flipRate)} of ${grouped(flipPairs)}`),
    ],
    [right('Price', 3), ({ costUsd }) => dollars(costUsd)],
    [
      right('Per trial', 2),
      ({ costUsd, pricedTrials }) =>
        costUsd === null || pricedTrials === 0 ? unknown : dollars(costUsd / pricedTrials),
    ],
    [{ title: 'Run', drops: 5 }, ({ run }) => run],
  ])
  const lines = [
    `Flips: judgments that change when the places are exchanged. Price: what was declared.${
      methods.length === 0 ? '' : ` Intervals: ${methods.join(', ')}.`
    }`,
  ]
  return { lines, table: cells }
}

function comparisonSection(comparisons: readonly JudgeComparison[]): readonly Section[] {
  const left = Math.max(0, comparisons.length - mostComparisons)
  const more = left === 0 ? '' : ` ${counted(left, 'further pair')} with larger p not shown.`
  const line = `On the items that both were scored on; Holm's correction over ${counted(comparisons.length, 'pair')}.${more}`
  return valuesSection(
    'Pairs of judges (exact McNemar)',
    comparisons.slice(0, mostComparisons),
    [
      ['Judges', ({ judges }) => judges.join(' – ')],
      [right('Pairs'), ({ pairs }) => grouped(pairs)],
      [right('Only the first', 2), ({ onlyOne }) => grouped(onlyOne)],
      [right('Only the second', 2), ({ onlyOther }) => grouped(onlyOther)],
      [right('Difference', 1), ({ difference }) => (difference === null ? unknown : `${points(difference)} points`)],
      [right('p', 3), (comparison) => pValue(comparison.pValue)],
      [right('p (Holm)'), ({ holm }) => pValue(holm)],
      ['Better', betterOf],
    ],
    [line],
  )
}

function betterOf({ judges, isDifferent, difference }: JudgeComparison): string {
  if (!isDifferent || difference === null || difference === 0) return 'not distinguishable'
  return difference > 0 ? judges[0] : judges[1]
}
