import { createHash } from 'node:crypto'
import { JuristError } from '@jurist/core'
import type { ExperimentResult } from '@jurist/experiment/result'
import { pageFileText } from '../page-files.js'

/**
 * One HTML file with the page and these results in it. It has every view except journals and workspaces, which are files
 * of the store. It fetches nothing, and its policy allows only its own script and style, by hash. It opens with the first
 * result; with several results, any two can be compared.
 *
 * @throws `option-invalid` without a result
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { fileStore } from '@jurist/experiment/store'
 * import { staticReport } from '@jurist/viewer/static'
 *
 * const latest = await fileStore('results').mostRecent('my-experiment')
 * if (latest !== undefined) await writeFile('report.html', await staticReport([latest]))
 */
export async function staticReport(results: readonly ExperimentResult[]): Promise<string> {
  const [first] = results
  if (first === undefined)
    throw new JuristError('option-invalid', 'staticReport: "results" is empty. Pass at least one result.', {
      option: 'results',
    })
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
<script type="application/json" id="results">${inlineJson(results)}</script>
<script type="module">${script}</script>
</body>
</html>
`
}

/**
 * JSON for the content of a `<script>` element. It has no `<`, so nothing in it can end the script or start a comment.
 *
 * @example
 * inlineJson({ text: '</script>' }) // {"text":"\u003c/script>"}
 */
export function inlineJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
