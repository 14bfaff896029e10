import { checkOptions } from '@jurist/core/internal'
import type { Comparison } from '../compare/comparison.js'
import { judgesSummary } from '../result/judge-figures.js'
import type { ExperimentResult } from '../result/records.js'
import { certificateSections } from './content/certification.js'
import { comparisonSections } from './content/comparison.js'
import { judgeSections } from './content/judges.js'
import type { ComparisonReportOptions } from './report-options.js'
import { formatRules, type Section, writtenSections } from './sections.js'

/**
 * A comparison for a terminal or as Markdown: the conclusion with its test, regressions before improvements, the change
 * of each judge and each criterion, cost, tokens and time, and every condition that differs.
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
  return written('comparisonReport', comparisonSections(comparison), options)
}

/**
 * The judges of a run for a terminal or as Markdown: the passes, fails and cost of each one, the trials that only it
 * failed, the agreement of each pair (Cohen's kappa), the decisions and savings of each tier of a cascade, and the
 * decisions under a certificate.
 *
 * @param options `format`: `console` (the default) or `markdown`; `color`: whether a terminal shows colours, default
 * `false`; `width`: columns of the terminal, default 100
 * @throws `option-invalid`
 *
 * @example
 * import { judgesReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * console.log(judgesReport(aResult()))
 */
export function judgesReport(result: ExperimentResult, options?: ComparisonReportOptions): string {
  const sections = [...judgeSections(judgesSummary(result.items)), ...certificateSections(result)]
  return written('judgesReport', sections, options)
}

function written(report: string, sections: readonly Section[], options: ComparisonReportOptions | undefined): string {
  return writtenSections(sections, checkOptions(report, options, formatRules))
}
