import { appendFile, writeFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { Comparison } from '@jurist/experiment/compare'
import {
  exportRows,
  githubAnnotations,
  githubSummary,
  htmlReport,
  junitReport,
  markdownReport,
  toCsv,
} from '@jurist/experiment/report'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { Host } from './host.js'
import { makeParent, type Results } from './results-store.js'

/** The ends of file names that `--output` knows. */
export const outputEnds = ['.md', '.html', '.json', '.csv', '.jsonl', '.xml'] as const

/** What came of a command's runs, to be written. */
export interface Written {
  readonly runs: readonly ExperimentResult[]
  /** Of each run with its baseline. */
  readonly comparisons: readonly Comparison[]
  readonly results: Results
}

/** Writes results to the files of `--output` and `--reporter junit=file`, in the format that their names end in. */
export async function writeReports(host: Host, outputs: readonly string[], written: Written): Promise<void> {
  for (const output of outputs)
    for (const { name, text } of await filesOf(output, written)) {
      const file = resolve(host.cwd, name)
      await makeParent(file)
      await writeFile(file, text)
      host.note(`wrote ${name} (results in ${written.results.shown})`)
    }
}

interface NamedText {
  readonly name: string
  readonly text: string
}

async function filesOf(output: string, { runs, comparisons }: Written): Promise<readonly NamedText[]> {
  const [first, ...others] = runs
  if (first === undefined) return []
  const all = [first, ...others] as const
  const one = (text: string): readonly NamedText[] => [{ name: output, text }]
  switch (extname(output) as (typeof outputEnds)[number]) {
    case '.json':
      return one(`${JSON.stringify(runs, null, 2)}\n`)
    case '.jsonl':
      return one(jsonLines(runs))
    case '.csv':
      return one(await joined(toCsv(exportRows(runs, 'items'))))
    case '.md':
      return one(`${markdownReport(all, { comparisons })}\n`)
    case '.html':
      return one(htmlReport(all, { comparisons }))
    case '.xml':
      return runs.map((run) => ({ name: others.length === 0 ? output : named(output, run), text: junitReport(run) }))
    default:
      return []
  }
}

/** JUnit has one file a run: `report.xml` becomes `report.control.xml`. */
function named(output: string, { variant, id }: ExperimentResult): string {
  return `${output.slice(0, -extname(output).length)}.${variant ?? id}.xml`
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}

/** One trial a line, each with the run it belongs to. */
function jsonLines(runs: readonly ExperimentResult[]): string {
  return runs
    .flatMap(({ id, experimentName, variant, session, items }) =>
      items.map((item) => `${JSON.stringify({ runId: id, experimentName, variant, session, ...item })}\n`),
    )
    .join('')
}

/** Annotations for GitHub Actions on stdout, and the summary of the step in the file that GitHub names. */
export async function tellGithub(
  host: Host,
  runs: readonly ExperimentResult[],
  comparisonOf: (run: ExperimentResult) => Comparison | null,
): Promise<void> {
  const summary = process.env['GITHUB_STEP_SUMMARY'] ?? ''
  for (const run of runs) {
    if (host.flags.json !== true) for (const line of githubAnnotations(run)) host.terminal.out(`${line}\n`)
    const comparison = comparisonOf(run)
    if (summary !== '') await appendFile(summary, githubSummary(run, comparison === null ? {} : { comparison }))
  }
}
