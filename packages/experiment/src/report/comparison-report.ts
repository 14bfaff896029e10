import { checkOptions, option } from '@jurist/core/internal'
import { stylesFor } from '@jurist/kit/terminal'
import type { Comparison } from '../compare/comparison.js'
import { comparisonSections } from './content/comparison.js'
import { markdownSections } from './render/markdown.js'
import { consoleSections } from './render/section.js'

/** How `comparisonReport` reports. */
export interface ComparisonReportOptions {
  /** Default `console`. */
  readonly format?: 'console' | 'markdown'
  /** Whether a terminal shows colours. Default `false`. */
  readonly color?: boolean
  /** Columns of the terminal. Default 100. */
  readonly width?: number
}

/**
 * A comparison for a terminal or as Markdown: the conclusion with its test, regressions before improvements, what each judge
 * and each criterion gained or lost, cost, tokens and time, and every condition that differs.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { compare } from '@jurist/experiment/compare'
 * import { comparisonReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * console.log(comparisonReport(compare(aResult(), aResult())))
 */
export function comparisonReport(comparison: Comparison, options?: ComparisonReportOptions): string {
  const {
    format = 'console',
    color = false,
    width = 100,
  } = checkOptions('comparisonReport', options, {
    format: option.oneOf('console', 'markdown'),
    color: option.boolean,
    width: option.integer(1),
  })
  const sections = comparisonSections(comparison)
  return format === 'console' ? consoleSections(sections, stylesFor(color), width) : markdownSections(sections, 2)
}
