import { checkOptions, option } from '@jurist/core/internal'
import { consoleSections, htmlPage, markdownSections } from '@jurist/experiment/internal'
import { stylesFor } from '@jurist/kit/terminal'
import type { ProbeReport } from './probe-report.js'
import { probeSections } from './report-sections.js'

/** Options of `probeReportText`. */
export interface ProbeReportTextOptions {
  /** `html`: a whole page without scripts. Default `console`. */
  readonly format?: 'console' | 'markdown' | 'html'
  /** Whether a terminal shows colours. Default `false`. */
  readonly color?: boolean
  /** Columns of the terminal. Default 100. */
  readonly width?: number
}

/**
 * A report of probes for people: what got through, which members of the jury let it through, what it did, and how to stop it.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { probeReportText, runProbes } from '@jurist/vet'
 *
 * const report = await runProbes({ name: 'fix', dataset: 'dataset', jury: async () => true })
 * console.log(probeReportText(report, { format: 'markdown' }))
 */
export function probeReportText(report: ProbeReport, options?: ProbeReportTextOptions): string {
  const {
    format = 'console',
    color = false,
    width = 100,
  } = checkOptions('probeReportText', options, {
    format: option.oneOf('console', 'markdown', 'html'),
    color: option.boolean,
    width: option.integer(1),
  })
  const sections = probeSections(report)
  const title = `Probes of ${report.experiment}`
  if (format === 'html') return htmlPage({ title, sections })
  if (format === 'markdown') return markdownSections([{ title }, ...sections], 2)
  return consoleSections(sections, stylesFor(color), width)
}
