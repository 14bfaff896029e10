import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { JuristError } from '@jurist/core'
import type { ExperimentResult } from '@jurist/experiment/result'
import { inlineJson } from './inline-json.js'

/** Made by `build-page.mjs`, from the sources and from what is built of them alike. */
const directory = new URL(
  'dist/page/',
  pathToFileURL(createRequire(import.meta.url).resolve('@jurist/viewer/package.json')),
)

/**
 * One HTML file with the page and these results in it: every view but journals and workspaces, which are files of the
 * store. It fetches nothing, and its only scripts and styles are those whose hashes its policy names. The first result
 * is what it opens with; with several, any two can be compared.
 *
 * @throws `option-invalid` without a result
 *
 * @example
 * await writeFile('report.html', await staticReport([candidate, baseline]))
 */
export async function staticReport(results: readonly ExperimentResult[]): Promise<string> {
  const [first] = results
  if (first === undefined)
    throw new JuristError('option-invalid', 'staticReport: give at least one result.', { option: 'results' })
  const [script, style] = await Promise.all([ownFile('report.js'), ownFile('page.css')])
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

/** A file that is put between tags as it is; ours never close them. */
async function ownFile(name: string): Promise<string> {
  return readFile(new URL(name, directory), 'utf8')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
