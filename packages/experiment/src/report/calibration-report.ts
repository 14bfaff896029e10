import { checkOptions, option } from '@jurist/core/internal'
import type { CalibrationResult } from '../calibrate/calibration.js'
import type { JudgesCalibration } from '../calibrate/judges/judges-calibration.js'
import { paintWith } from './paint.js'
import { consoleSections } from './section/console-sections.js'
import { markdownSections } from './section/markdown-sections.js'
import { calibrationSections } from './story/calibration-sections.js'
import { judgesSections } from './story/judges-sections.js'

/** How `calibrationReport` reports. */
export interface CalibrationReportOptions {
  /** Default `console`. */
  readonly format?: 'console' | 'markdown'
  /** Whether a terminal shows colours. Default `false`. */
  readonly color?: boolean
  /** Columns of the terminal. Default 100. */
  readonly width?: number
}

/**
 * A calibration for a terminal or as Markdown: agreement with its interval, the measures beyond chance, the confusion matrix,
 * each class, what a jury gains over its best member, consistency, reliability, and where candidate and label disagree.
 * Of several judges the table of all of them, and every two compared.
 *
 * @throws `option-invalid`
 *
 * @example
 * console.log(calibrationReport(await calibrate({ name: 'tone', candidate: tone, items: 'labelled.jsonl' })))
 */
export function calibrationReport(
  calibration: CalibrationResult | JudgesCalibration,
  options?: CalibrationReportOptions,
): string {
  const {
    format = 'console',
    color = false,
    width = 100,
  } = checkOptions('calibrationReport', options, {
    format: option.oneOf('console', 'markdown'),
    color: option.boolean,
    width: option.integer(1),
  })
  const sections = 'calibrations' in calibration ? judgesSections(calibration) : calibrationSections(calibration)
  return format === 'console' ? consoleSections(sections, paintWith(color), width) : markdownSections(sections, 2)
}
