import { checkOptions, option } from '@jurist/core/internal'
import { consoleSections, htmlPage, markdownSections, type Section } from '@jurist/experiment/internal'
import { stylesFor } from '@jurist/kit/terminal'
import type { BenchmarkCard } from './card/benchmark-card.js'
import { cardSections } from './card/card-sections.js'
import type { EstablishReport } from './establish/establish-report.js'
import { establishSections } from './establish/report-sections.js'
import type { MutationReport } from './mutate/mutation-report.js'
import { mutationSections } from './mutate/mutation-sections.js'
import type { ProbeReport } from './probe/probe-report.js'
import { probeSections } from './probe/report-sections.js'

/** A report of what vets a benchmark. */
export type VetReport = EstablishReport | ProbeReport | MutationReport | BenchmarkCard

/** Options of `vetReportText`. */
export interface VetReportTextOptions {
  /** `html`: a whole page without scripts; that of mutants shows each source with its mutants. Default `console`. */
  readonly format?: 'console' | 'markdown' | 'html'
  /** Whether a terminal shows colours. Default `false`. */
  readonly color?: boolean
  /** Columns of the terminal. Default 100. */
  readonly width?: number
}

/**
 * A report for people: the conclusion, what was tried, what is wrong, and what to do about it.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { establish, vetReportText } from '@jurist/vet'
 *
 * const report = await establish({ name: 'fix', dataset: 'dataset', jury: async () => true })
 * console.log(vetReportText(report, { format: 'markdown' }))
 */
export function vetReportText(report: VetReport, options?: VetReportTextOptions): string {
  const {
    format = 'console',
    color = false,
    width = 100,
  } = checkOptions('vetReportText', options, {
    format: option.oneOf('console', 'markdown', 'html'),
    color: option.boolean,
    width: option.integer(1),
  })
  const { title, sections } = contentOf(report, format)
  if (format === 'html') return htmlPage({ title, sections })
  if (format === 'markdown') return markdownSections([{ title }, ...sections], 2)
  return consoleSections(sections, stylesFor(color), width)
}

function contentOf(
  report: VetReport,
  format: VetReportTextOptions['format'],
): { readonly title: string; readonly sections: readonly Section[] } {
  switch (report.kind) {
    case 'establish':
      return { title: `What is established of ${report.experiment}`, sections: establishSections(report) }
    case 'probe':
      return { title: `Probes of ${report.experiment}`, sections: probeSections(report) }
    case 'card':
      return { title: `Benchmark card of ${report.experiment}`, sections: cardSections(report) }
    case 'mutate':
      return {
        title: `Mutants of ${report.experiment}`,
        sections: mutationSections(report, { sources: format === 'html' }),
      }
    default:
      return report satisfies never
  }
}
