import { extname } from 'node:path'
import { flag, oneOf } from '@jurist/experiment/plugin'
import { reportFormats } from '@jurist/experiment/report'
import { reportWritten } from './files.js'
import type { Host } from './host.js'
import { fileEndingIn } from './subcommand.js'

type ReportFormat = (typeof reportFormats)[keyof typeof reportFormats]

/** The name of a format of `jurist run -o`, `jurist run --reporter` and `jurist export`. */
export type FormatName = keyof typeof reportFormats | 'html'

/** The formats of the command. The help texts and `docs/reference/command.md` are derived from them. */
export const formats: { readonly [name in FormatName]: ReportFormat } = {
  ...reportFormats,
  html: {
    ending: '.html',
    description: 'the page of `jurist view` with these runs, as one file',
    async document(runs, { scans = {} }) {
      const { staticReport } = await import('@jurist/viewer/static')
      return staticReport(runs, { scans })
    },
  },
}

export const formatNames = Object.keys(formats) as readonly FormatName[]

/** The file extensions that select a format. */
export const formatEndings: readonly string[] = Object.values(formats).map(({ ending }) => ending)

/** Returns the format for a file name by its extension. */
export function formatByEnding(file: string): FormatName | undefined {
  return formatNames.find((name) => formats[name].ending === extname(file))
}

/** Whether a format consists of tables. */
export function isTable(name: FormatName): boolean {
  return 'rows' in formats[name]
}

/**
 * Returns the file of `--reporter <format>=file`. The default file name is the name of the format. Returns `undefined`
 * for a reporter that is not a format, and for `json`, which prints events.
 */
export function reportFileOf(reporter: string): { readonly file: string; readonly ending: string } | undefined {
  const [name = '', ...rest] = reporter.split('=')
  if (name === 'json' || !Object.hasOwn(formats, name)) return undefined
  const { ending } = formats[name as FormatName]
  return { file: rest.length === 0 ? `${name}${ending}` : rest.join('='), ending }
}

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
  else
    terminal[format === 'markdown' ? 'raw' : 'out'](
      `${report.text({ format, color: terminal.color, width: terminal.columns })}\n`,
    )
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
