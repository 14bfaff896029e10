import { checkOptions, option } from '@jurist/core/internal'
import { consoleSections, htmlPage, markdownSections, type Section } from '@jurist/experiment/internal'
import { commandLine, plainCommandLine } from '@jurist/kit/command-line'
import { stylesFor } from '@jurist/kit/terminal'
import type { BenchmarkCard } from './card/benchmark-card.js'
import type { EstablishReport } from './establish/establish-report.js'
import type { MutationReport } from './mutate/mutation-report.js'
import type { ProbeReport } from './probe/probe-report.js'

/** A report of a function that vets a benchmark. */
export type VetReport = EstablishReport | ProbeReport | MutationReport | BenchmarkCard

/** Options of `vetReportText`. Each of them has a default. */
export interface VetReportTextOptions {
  /**
   * `html` is a complete page without scripts. For mutants, it shows each source with its mutants. Default `console`.
   */
  readonly format?: 'console' | 'markdown' | 'html'
  /** Whether the terminal supports colours. Default `false`. */
  readonly color?: boolean
  /** The width of the terminal in columns. Default 100. */
  readonly width?: number
}

/**
 * Formats a report for people: the conclusion, what was tried, the problems, and remedies.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { establish, vetReportText } from '@jurist/vet'
 *
 * const report = await establish({ name: 'fix', dataset: 'dataset', jury: async () => true })
 * console.log(await vetReportText(report, { format: 'markdown' }))
 */
export async function vetReportText(report: VetReport, options?: VetReportTextOptions): Promise<string> {
  const {
    format = 'console',
    color = false,
    width = 100,
  } = checkOptions('vetReportText', options, {
    format: option.oneOf('console', 'markdown', 'html'),
    color: option.boolean,
    width: option.integer(1),
  })
  const { title, sections } = await contentOf(report, format)
  if (format === 'html') return htmlPage({ title, sections })
  if (format === 'markdown') return markdownSections([{ title }, ...sections], 2)
  return consoleSections(sections, stylesFor(color), width)
}

interface Content {
  readonly title: string
  readonly sections: readonly Section[]
}

/** The sections of each kind of report are loaded on demand. */
async function contentOf(report: VetReport, format: VetReportTextOptions['format']): Promise<Content> {
  switch (report.kind) {
    case 'establish': {
      const { establishSections } = await import('./establish/report-sections.js')
      return { title: `What is established of ${report.experiment}`, sections: establishSections(report) }
    }
    case 'probe': {
      const { probeSections } = await import('./probe/report-sections.js')
      return { title: `Probes of ${report.experiment}`, sections: probeSections(report) }
    }
    case 'card': {
      const { cardSections } = await import('./card/card-sections.js')
      return {
        title: `Benchmark card of ${report.experiment}`,
        sections: cardSections(report, format === 'console' ? commandLine : plainCommandLine),
      }
    }
    case 'mutate': {
      const { mutationSections } = await import('./mutate/mutation-sections.js')
      const sections = mutationSections(report, { sources: format === 'html' })
      return { title: `Mutants of ${report.experiment}`, sections }
    }
    default:
      return report satisfies never
  }
}
