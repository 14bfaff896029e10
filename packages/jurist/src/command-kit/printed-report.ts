import { flag, oneOf } from '@jurist/experiment/plugin'
import { reportWritten } from './files.js'
import { fileEndingIn } from './flags.js'
import type { Host } from './host.js'

/** The values of `--format` for printed reports. */
export const printedFormats = ['console', 'markdown', 'json'] as const

type PrintedFormat = (typeof printedFormats)[number]

/** The flags of a command whose result is one report. */
export const reportFlags = {
  format: flag('--format <format>', `${printedFormats.join(', ')} (default: console)`, oneOf(printedFormats), {
    default: 'console',
  }),
  output: flag('-o, --output <file>', 'write the report to .md, .json or .txt', fileEndingIn('.md', '.json', '.txt')),
} as const

/** The place where the text of a report is read. */
export interface ReportPlace {
  readonly format: Exclude<PrintedFormat, 'json'>
  readonly color: boolean
  readonly width: number
}

interface PrintedReport {
  readonly document: object
  readonly text: (place: ReportPlace) => string
}

/** Prints a report in the format of `--format` or `--json`. */
export function printReport({ terminal, flags, json }: Host, format: PrintedFormat, report: PrintedReport): void {
  if (flags.json === true || format === 'json') json(report.document)
  else terminal.out(`${report.text({ format, color: terminal.color, width: terminal.columns })}\n`)
}

/** Writes a printed report to the file of `-o`. Returns whether it could be written; `true` without a file. */
export async function writeReport(host: Host, output: string | undefined, report: PrintedReport): Promise<boolean> {
  if (output === undefined) return true
  const place = { color: false, width: Number.MAX_SAFE_INTEGER }
  const text = output.endsWith('.json')
    ? JSON.stringify(report.document, null, 2)
    : report.text({ ...place, format: output.endsWith('.md') ? 'markdown' : 'console' })
  return await reportWritten(host, output, `${text}\n`)
}
