import { extname } from 'node:path'
import { reportFormats } from '@jurist/experiment/report'

type ReportFormat = (typeof reportFormats)[keyof typeof reportFormats]

/** The name of a format of `jurist run -o`, `jurist run --reporter` and `jurist export`. */
export type FormatName = keyof typeof reportFormats | 'html'

/** The formats of the command. The help texts and the table in `docs/guide/reports.md` are derived from them. */
export const formats: { readonly [name in FormatName]: ReportFormat } = {
  ...reportFormats,
  html: {
    ending: '.html',
    description: 'the page of `jurist view` with these runs, as one file',
    async document(runs) {
      const { staticReport } = await import('@jurist/viewer/static')
      return staticReport(runs)
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
