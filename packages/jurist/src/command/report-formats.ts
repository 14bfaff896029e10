import { extname } from 'node:path'
import type { Comparison } from '@jurist/experiment/compare'
import {
  type ExportTable,
  exportRows,
  htmlReport,
  jsonReport,
  junitReport,
  markdownReport,
  toCsv,
  toJsonl,
} from '@jurist/experiment/report'
import type { ExperimentResult } from '@jurist/experiment/result'

type Runs = readonly [ExperimentResult, ...ExperimentResult[]]

/** The name of a format, as `--format` takes it. */
export type FormatName = 'csv' | 'jsonl' | 'json' | 'junit' | 'html' | 'markdown'

/** What a report may say beside its runs. */
interface ReportContent {
  /** The table of formats that are tables. Default `items`. */
  readonly table?: ExportTable
  /** Of runs with their baselines, in the formats that show them. */
  readonly comparisons?: readonly Comparison[]
}

/** How runs are written in one format: as rows while they are read, or as one document that needs all of them. */
type ReportFormat = { readonly end: string } & (
  | { readonly rows: (rows: ReturnType<typeof exportRows>) => AsyncIterable<string> }
  | { readonly document: (runs: Runs, content: ReportContent) => string }
)

/**
 * Every format of `jurist run -o` and `jurist export`, with the end of file names that asks for it. Each writes all runs:
 * `.json` an array of them, `.csv` and `.jsonl` a row for each trial.
 */
const reportFormats: { readonly [name in FormatName]: ReportFormat } = {
  csv: { end: '.csv', rows: toCsv },
  jsonl: { end: '.jsonl', rows: toJsonl },
  json: { end: '.json', document: (runs) => `[\n${runs.map((run) => jsonReport(run).trimEnd()).join(',\n')}\n]\n` },
  junit: { end: '.xml', document: (runs) => junitReport(runs) },
  html: { end: '.html', document: (runs, { comparisons = [] }) => htmlReport(runs, { comparisons }) },
  markdown: { end: '.md', document: (runs, { comparisons = [] }) => `${markdownReport(runs, { comparisons })}\n` },
}

/** All names of formats. */
export const formatNames = Object.keys(reportFormats) as readonly FormatName[]

/** The ends of file names that say a format. */
export const formatEnds: readonly string[] = Object.values(reportFormats).map(({ end }) => end)

/** The format that the end of a file name asks for; `undefined` when it asks for none. */
export function formatByEnd(file: string): FormatName | undefined {
  return formatNames.find((name) => reportFormats[name].end === extname(file))
}

/** Whether a format is a table, of which there are several. */
export function isTable(name: FormatName): boolean {
  return 'rows' in reportFormats[name]
}

/** Runs in a format, part by part. Gives nothing for no runs in a format that is one document. */
export async function* reportText(
  name: FormatName,
  runs: AsyncIterable<ExperimentResult> | readonly ExperimentResult[],
  content: ReportContent = {},
): AsyncGenerator<string, void> {
  const format: ReportFormat = reportFormats[name]
  if ('rows' in format) return yield* format.rows(exportRows(runs, content.table ?? 'items'))
  const all: ExperimentResult[] = []
  for await (const run of runs) all.push(run)
  const [first, ...others] = all
  if (first !== undefined) yield format.document([first, ...others], content)
}
