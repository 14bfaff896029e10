import { createHash } from 'node:crypto'
import { checkOptions, option, optionInvalid } from '@jurist/core/internal'
import type { KeptScans } from '@jurist/experiment/report'
import type { RunResult } from '@jurist/experiment/result'
import { pageFileText } from '../page-files.js'
import { type ReportExtra, reportExtras, reportParts } from './report-parts.js'

/** The options of `staticReport`. */
export interface StaticReportOptions {
  /**
   * The parts of the report besides the runs: the journals of their trials, and the changes that agents made to their
   * workspaces, both read from `directory`. Default: neither.
   */
  readonly with?: readonly ReportExtra[]
  /** The directory of the store, with its kept workspaces and journals. Default: none. */
  readonly directory?: string
  /** Additional directories with initial states and references, as for `viewer`. Default: none. */
  readonly sources?: readonly string[] | ((run: RunResult) => Promise<readonly string[]>)
  /** The kept findings of scans, by the ids of the runs. Default: none. */
  readonly scans?: KeptScans
}

/**
 * Writes one HTML file with the page and these runs, compressed. It has every view; journals and changes are included
 * on request. It fetches nothing, and its policy allows only its own script and style, by hash. It opens with the first
 * run; with several runs, any two can be compared. It contains the tasks and the outputs of agents.
 *
 * @throws `option-invalid` without a run, and for an unknown extra
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { fileStore } from '@jurist/experiment/store'
 * import { staticReport } from '@jurist/viewer/static'
 *
 * const latest = await fileStore('results').mostRecent('my-experiment')
 * if (latest !== undefined) await writeFile('report.html', await staticReport([latest]))
 */
export async function staticReport(results: readonly RunResult[], options?: StaticReportOptions): Promise<string> {
  const {
    with: extras = [],
    directory,
    sources = [],
    scans,
  } = checkOptions('staticReport', options, {
    with: {
      wants: `an array of ${reportExtras.join(', ')}`,
      holds: (value) => Array.isArray(value) && value.every((one) => reportExtras.includes(one)),
    },
    directory: option.string,
    sources: option.either(option.strings, option.function),
    scans: option.record,
  })
  const [first] = results
  if (first === undefined) optionInvalid('results', 'staticReport: "results" is empty. Pass at least one result.')
  const sourcesOf = typeof sources === 'function' ? sources : async () => sources
  return reportPage(results, { extras, directories: { directory, sourcesOf }, ...(scans && { scans }) })
}

/** Writes runs as one page, as `staticReport` does. */
export async function reportPage(
  results: readonly RunResult[],
  settings: Parameters<typeof reportParts>[1],
): Promise<string> {
  const parts: string[] = []
  for await (const { name, data } of reportParts(results, settings))
    parts.push(`<script type="application/gzip" id="${name}">${data}</script>`)
  return page(parts)
}

async function page(parts: readonly string[]): Promise<string> {
  const [script, style] = await Promise.all([pageFileText('report.js'), pageFileText('page.css')])
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Jurist">
<title>Jurist</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This report needs JavaScript.</noscript>
${parts.join('\n')}
<script type="module">${script}</script>
</body>
</html>
`
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
