import { checkOptions, option } from '@jurist/core/internal'
import { stylesFor } from '@jurist/kit/terminal'
import { judgesSummary } from '../result/judge-figures.js'
import type { ExperimentResult } from '../result/records.js'
import type { ComparisonReportOptions } from './comparison-report.js'
import { certificateSections } from './content/certificate-use.js'
import { judgeSections } from './content/judges.js'
import { markdownSections } from './render/markdown.js'
import { consoleSections } from './render/section.js'

/**
 * The judges of a run for a terminal or as Markdown: what each one passed, failed and cost, what only it failed, how far
 * each pair agrees (Cohen's kappa), what each tier of a cascade decided and saved, and what was decided under a certificate.
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
  const {
    format = 'console',
    color = false,
    width = 100,
  } = checkOptions('judgesReport', options, {
    format: option.oneOf('console', 'markdown'),
    color: option.boolean,
    width: option.integer(1),
  })
  const sections = [...judgeSections(judgesSummary(result.items)), ...certificateSections(result)]
  return format === 'console' ? consoleSections(sections, stylesFor(color), width) : markdownSections(sections, 2)
}
