import type { Comparison } from '../compare/comparison.js'
import type { ExperimentResult } from '../result/records.js'
import type { KeptScans } from '../scan/finding-text.js'
import type { ExportRow } from './export-rows.js'
import { type ExportTable, exportRows, toCsv, toJsonl } from './export-rows.js'
import { jsonReport } from './json-report.js'
import { junitReport } from './junit-report.js'
import { markdownReport } from './markdown-report.js'

/** The runs that a report is about. */
export type Runs = readonly [ExperimentResult, ...ExperimentResult[]]

/** The content of a report besides its runs. */
export interface ReportContent {
  /** The table, for formats that are tables. Default `items`. */
  readonly table?: ExportTable
  /** Comparisons of runs with their baselines, for formats that show them. */
  readonly comparisons?: readonly Comparison[]
  /** The kept findings of scans, by the ids of the runs, for formats that show them. Default: none. */
  readonly scans?: KeptScans
}

/** A format in which runs are written: rows that are written while runs are read, or one document of all runs. */
export type ReportFormat = {
  /** The file ending that selects the format. */
  readonly ending: string
  /** Describes a file in this format, for help texts and guides. */
  readonly description: string
} & (
  | { readonly rows: (rows: AsyncIterable<ExportRow>) => AsyncIterable<string> }
  | { readonly document: (runs: Runs, content: ReportContent) => string | Promise<string> }
)

/** The name of a format. */
export type ReportFormatName = 'csv' | 'jsonl' | 'json' | 'junit' | 'markdown'

/**
 * The formats of `jurist run -o`, `jurist run --reporter` and `jurist export`, except `html`, which `@jurist/viewer/static`
 * writes.
 *
 * @example
 * import { reportFormats } from '@jurist/experiment/report'
 *
 * for (const [name, { ending, description }] of Object.entries(reportFormats)) console.log(name, ending, description)
 */
export const reportFormats: { readonly [name in ReportFormatName]: ReportFormat } = {
  csv: { ending: '.csv', description: 'a table of all runs, by default a row for each trial', rows: toCsv },
  jsonl: { ending: '.jsonl', description: 'the same table as JSON lines', rows: toJsonl },
  json: {
    ending: '.json',
    description: 'an array of runs, each as `jsonReport` writes it',
    document: (runs, { scans = {} }) =>
      `[\n${runs.map((run) => jsonReport(run, scans[run.id]).trimEnd()).join(',\n')}\n]\n`,
  },
  junit: {
    ending: '.xml',
    description: 'test suites for continuous integration, as `junitReport` writes them',
    document: (runs, { scans = {} }) => junitReport(runs, { scans }),
  },
  markdown: {
    ending: '.md',
    description: 'a summary, or how several runs improved, as `markdownReport` writes it',
    document: (runs, { comparisons = [], scans = {} }) => `${markdownReport(runs, { comparisons, scans })}\n`,
  },
}

/**
 * Writes runs in a format, of the catalogue or your own, part by part. Rows are written while runs are read; a document needs all runs in memory.
 * Without runs a document is empty.
 *
 * @throws `option-invalid` for an unknown table
 *
 * @example
 * import { reportText } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * for await (const part of reportText('junit', [aResult()])) process.stdout.write(part)
 */
export async function* reportText(
  format: ReportFormatName | ReportFormat,
  runs: AsyncIterable<ExperimentResult> | readonly ExperimentResult[],
  content: ReportContent = {},
): AsyncGenerator<string, void> {
  const chosen = typeof format === 'string' ? reportFormats[format] : format
  if ('rows' in chosen) return yield* chosen.rows(exportRows(runs, content.table ?? 'items'))
  const all: ExperimentResult[] = []
  for await (const run of runs) all.push(run)
  const [first, ...others] = all
  if (first !== undefined) yield await chosen.document([first, ...others], content)
}
