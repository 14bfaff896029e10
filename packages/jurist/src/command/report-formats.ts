import { extname } from 'node:path'
import { reportFormats } from '@jurist/experiment/report'

/** The name of a format. */
export type FormatName = keyof typeof reportFormats

/** All names of report formats. */
export const formatNames = Object.keys(reportFormats) as readonly FormatName[]

/** The file endings that select a format. */
export const formatEndings: readonly string[] = Object.values(reportFormats).map(({ ending }) => ending)

/** The format that the ending of a file name selects; `undefined`: none. */
export function formatByEnding(file: string): FormatName | undefined {
  return formatNames.find((name) => reportFormats[name].ending === extname(file))
}

/** Whether a format is a table, of which there are several. */
export function isTable(name: FormatName): boolean {
  return 'rows' in reportFormats[name]
}

/**
 * The file of `--reporter <format>=file`; without a file it is called after the format. `undefined` for a reporter that is
 * not a format. `json` is one: it writes events.
 */
export function reportFileOf(reporter: string): { readonly file: string; readonly ending: string } | undefined {
  const [name = '', ...rest] = reporter.split('=')
  if (name === 'json' || !Object.hasOwn(reportFormats, name)) return undefined
  const { ending } = reportFormats[name as FormatName]
  return { file: rest.length === 0 ? `${name}${ending}` : rest.join('='), ending }
}
