import { flag, oneOf } from '@jurist/experiment/plugin'
import { reportWritten } from './files.js'
import { fileEndingIn } from './flags.js'
import type { Host } from './host.js'

/** How `--format` prints a report. */
export const printedFormats = ['console', 'markdown', 'json'] as const

type PrintedFormat = (typeof printedFormats)[number]

/** The flags of a command whose result is one report. */
export const reportFlags = {
  format: flag('--format <format>', `${printedFormats.join(', ')} (default: console)`, oneOf(printedFormats), {
    default: 'console',
  }),
  output: flag('-o, --output <file>', 'write the report to .md, .json or .txt', fileEndingIn('.md', '.json', '.txt')),
} as const

/** Where the text of a report is read. */
export interface ReportPlace {
  readonly format: Exclude<PrintedFormat, 'json'>
  readonly color: boolean
  readonly width: number
}

/** A report as a JSON document and as text. */
interface PrintedReport {
  readonly document: object
  readonly text: (place: ReportPlace) => string
}

/** Prints a report as `--format`, or `--json`, asks for it. */
export function printReport({ terminal, flags, json }: Host, format: PrintedFormat, report: PrintedReport): void {
  if (flags.json === true || format === 'json') json(report.document)
  else terminal.out(`${report.text({ format, color: terminal.color, width: terminal.columns })}\n`)
}

/** Writes a report that was printed to the file of `-o`. Returns whether it could be written; `true` without a file. */
export async function writeReport(host: Host, output: string | undefined, report: PrintedReport): Promise<boolean> {
  if (output === undefined) return true
  const place = { color: false, width: Number.MAX_SAFE_INTEGER }
  const text = output.endsWith('.json')
    ? JSON.stringify(report.document, null, 2)
    : report.text({ ...place, format: output.endsWith('.md') ? 'markdown' : 'console' })
  return await reportWritten(host, output, `${text}\n`)
}
