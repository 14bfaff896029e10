import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../../tests/structure/source.js'
import { codeBlock } from './code.js'
import { escaped } from './text.js'

/** The file of the report, from the root of the site. */
const reportFile = 'sample/report.html'
/** Where it opens: the variants of the session, beside each other. */
const opened = `${reportFile}#/sessions/repair/sample`

/** Runs the example with the built command, all its agents on its first items, and writes the one-file report. */
export function writeSampleReport(out: string, items: number): void {
  const command = join(root, 'packages/jurist/dist/command/main.js')
  if (!existsSync(command)) throw new Error('The sample report needs the built command: npm run build.')
  const file = join(out, reportFile)
  mkdirSync(dirname(file), { recursive: true })
  const results = mkdtempSync(join(tmpdir(), 'jurist-sample-'))
  try {
    const argv = ['-C', join(root, 'examples/repair'), '--results', results, '--quiet', ...commandOf(items), '-o', file]
    const { status, stderr } = spawnSync(process.execPath, [command, ...argv], { encoding: 'utf8', cwd: root })
    if (!existsSync(file)) throw new Error(`jurist run made no report (exit code ${status}): ${stderr}`)
  } finally {
    rmSync(results, { recursive: true, force: true })
  }
}

/** The page around the report. */
export function sampleReportHtml(items: number): string {
  const command = `npx jurist -C examples/repair ${commandOf(items).join(' ')} -o report.html`
  return `<h1 id="sample-report">A sample report</h1>
<p>This is one HTML file, as a run writes it: three agents repair ${items === 0 ? 'every bug' : `the first ${items} bugs`} of <a href="examples/repair.html">examples/repair</a>, and a cascade of juries judges what they left. Choose a variant, then a trial, to read its verdict, what the agent changed, and its journal. Nothing is loaded from elsewhere, so it can be sent by mail or kept as an artifact of a build.</p>
${codeBlock(command, 'sh')}
<p class="actions"><a class="primary" href="${opened}">Open the report by itself</a></p>
<iframe class="report" src="${opened}" title="${escaped('The report of a run of examples/repair')}"></iframe>`
}

function commandOf(items: number): readonly string[] {
  return ['run', '--session', 'sample', ...(items === 0 ? [] : ['--first', String(items)])]
}
