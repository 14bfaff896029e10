import { appendFile } from 'node:fs/promises'
import { failureOf } from '@jurist/core/internal'
import type { Comparison } from '@jurist/experiment/compare'
import { githubAnnotations, githubSummary } from '@jurist/experiment/report'
import type { ExperimentResult } from '@jurist/experiment/result'
import { commandLine } from './command-line.js'
import type { Host } from './host.js'
import { unwritten, writeOutput } from './output-file.js'
import { formatByEnd, reportText } from './report-formats.js'
import type { Results } from './results-store.js'

/** What came of a command's runs, to be written. */
export interface Written {
  readonly runs: readonly ExperimentResult[]
  /** Of each run with its baseline. */
  readonly comparisons: readonly Comparison[]
  readonly results: Results
}

/**
 * Writes results to the files of `--output` and `--reporter junit=file`, in the format that their names end in. Each file
 * holds all runs. Returns a sentence for each that could not be written: the others are.
 */
export async function writeReports(
  host: Host,
  outputs: readonly string[],
  written: Written,
): Promise<readonly string[]> {
  const { runs, comparisons, results } = written
  if (runs.length === 0) return []
  const again = commandLine(host.flags, 'export', ...runs.map(({ id }) => id), '-o')
  const failures: string[] = []
  for (const output of outputs)
    try {
      // An end that says no format is refused when the flags are read.
      await writeOutput(host, output, reportText(formatByEnd(output) ?? 'json', runs, { comparisons }))
      host.note(`wrote ${output} (results in ${results.shown})`)
    } catch (thrown) {
      failures.push(`${failureOf(thrown).message} The runs are stored: ${again} <file>`)
    }
  return failures
}

/**
 * Annotations for GitHub Actions on stdout, unless a document stands there, and the summary of the step in the file that
 * GitHub names. Returns a sentence when that could not be written.
 */
export async function tellGithub(
  host: Host,
  runs: readonly ExperimentResult[],
  { isDocument, comparisonOf }: ToldToGithub,
): Promise<readonly string[]> {
  if (!isDocument) for (const run of runs) for (const line of githubAnnotations(run)) host.terminal.out(`${line}\n`)
  const summary = process.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (summary === '') return []
  try {
    for (const run of runs) {
      const comparison = comparisonOf(run)
      await appendFile(summary, githubSummary(run, comparison === null ? {} : { comparison }))
    }
    return []
  } catch (thrown) {
    const { message } = failureOf(unwritten(summary, thrown))
    return [`${message} GITHUB_STEP_SUMMARY names this one.`]
  }
}

/** How runs are told to GitHub. */
interface ToldToGithub {
  /** Whether stdout is one JSON document. */
  readonly isDocument: boolean
  readonly comparisonOf: (run: ExperimentResult) => Comparison | null
}
