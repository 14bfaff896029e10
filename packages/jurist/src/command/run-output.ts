import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Failure, flatten } from '@jurist/core'
import { failureOf, stackOf } from '@jurist/core/internal'
import type { Comparison } from '@jurist/experiment/compare'
import { comparisonReport, githubAnnotations, githubSummary, reportText } from '@jurist/experiment/report'
import { type ItemResult, itemsOf, type RunResult, resultWithItems, trialsOf } from '@jurist/experiment/result'
import { safeBlock } from '@jurist/kit/terminal'
import { failureLines, machineLines, runReport } from '../terminal/run-report.js'
import { sessionTable } from '../terminal/run-tables.js'
import { unwritten, writeOutput } from './files.js'
import { commandLine, type Host } from './host.js'
import type { Performed } from './perform-run.js'
import { formatByEnding } from './report-formats.js'
import type { Results } from './results-store.js'
import type { AgainstBaseline } from './run-baseline.js'
import type { RunFlags } from './run-flags.js'

const failuresPerVariant = 5

interface Reported {
  readonly performed: readonly Performed[]
  readonly misses: readonly string[]
  readonly results: Results
  readonly read: RunFlags
  /** By the id of the run. */
  readonly baselines: ReadonlyMap<string, AgainstBaseline>
}

/** Prints what came of the runs: one JSON document, or a table for each experiment, and each miss on a line. */
export async function printReports(
  host: Host,
  { performed, misses, results, read, baselines }: Reported,
): Promise<void> {
  const { terminal, flags } = host
  if (flags.json === true || read.reporter.includes('json')) {
    const runs = await Promise.all(performed.flatMap((one) => one.results).map(resultWithItems))
    const comparisons = [...baselines.values()].flatMap(({ comparison }) => comparison ?? [])
    const sessions = performed.flatMap(({ session }) => session ?? [])
    host.json({ results: runs, sessions, misses, ...(baselines.size === 0 ? {} : { comparisons }) })
  } else {
    for (const one of performed) if (!isNothing(one)) terminal.out(`${reportOf(one, host, results)}\n`)
    const color = terminal.style.red('x') !== 'x'
    for (const { comparison } of baselines.values())
      if (comparison !== null)
        terminal.out(`${comparisonReport(comparison, { format: 'console', color, width: terminal.columns })}\n`)
  }
  for (const { experiment } of performed.filter(isNothing))
    host.note(
      `${experiment.name}: nothing is unfinished, so nothing was run. A new run: ${commandLine(flags, 'run', experiment.name)}`,
    )
  for (const { warning } of baselines.values()) if (warning !== undefined) host.note(`warning: ${warning}`)
  const notice = await isolationNotice(performed.flatMap((one) => one.results))
  if (notice !== undefined) host.note(`notice: ${notice}`)
  for (const miss of misses) terminal.err(`${terminal.style.red('Fell short')}: ${miss}\n`)
  for (const line of performed.flatMap(({ broken }) => broken))
    terminal.err(`${terminal.style.red('Broke')}: ${line}\n`)
}

/** Whether there was nothing to go on with. */
function isNothing({ results, broken, left }: Performed): boolean {
  return results.length + broken.length + left.length === 0
}

function reportOf({ experiment, session, results: runs }: Performed, host: Host, results: Results): string {
  const { terminal, flags } = host
  const [first] = runs
  const stored = runs.map(({ id }) => `  ${placeOf(results, experiment.name, id)}`)
  const missed = runs.find((run) => run.passCount < run.counts.planned)
  const words = missed === undefined ? [first?.id ?? 'latest'] : [missed.id, '--failures']
  const closer = `  Look closer:  ${commandLine(flags, 'show', ...words)}`
  const footer = ['  Stored:', ...stored.map((line) => `  ${line}`), ...(first === undefined ? [] : [closer]), '']
  if (runs.length === 1 && first !== undefined) return [runReport(first, terminal), ...footer].join('\n')
  return [
    `${terminal.style.bold(experiment.name)}   session ${session}   ${runs.length} variants`,
    '',
    sessionTable(runs, terminal),
    ...runs.flatMap((run) => failuresOf(run, terminal)),
    '',
    ...footer,
  ].join('\n')
}

function failuresOf(run: RunResult, terminal: Host['terminal']): readonly string[] {
  const lines = failureLines(run, terminal, failuresPerVariant)
  return lines.length === 0 ? [] : ['', `  ${run.variant}`, ...machineLines(run), ...lines.slice(1)]
}

function placeOf({ directory, shown }: Results, experiment: string, id: string): string {
  return directory === undefined ? `${id} in ${shown}` : join(shown, experiment, id)
}

const notice =
  'isolation none: what agents ran could read your files, your variables and the reference answers; ' +
  'docs/guide/safety.md says how to isolate it'

/** Of a run that is too long to be read as a whole, the first trials say how all of them worked. */
const mostRead = 200

/** One line where a run with workspaces had no isolation, else `undefined`. */
export async function isolationNotice(results: readonly RunResult[]): Promise<string | undefined> {
  for (const result of results) {
    if (result.kind === 'judge' || result.conditions['isolation'] !== 'none') continue
    if ((await itemsOf(result, trialsOf(result).slice(0, mostRead))).some(hadWorkspace)) return notice
  }
  return undefined
}

function hadWorkspace({ workspacePath, beforePath, metadata }: ItemResult): boolean {
  return (
    workspacePath !== null ||
    beforePath !== null ||
    metadata['workspaceKept'] === false ||
    metadata['beforeSource'] !== undefined
  )
}

const mostTrials = 200
const mostStacks = 10

/** Prints where agents and judges of the runs of this process threw, each place once: for `--debug`. */
export async function printStacks({ flags, terminal }: Host, results: readonly RunResult[]): Promise<void> {
  if (flags.debug !== true) return
  const stacks = new Map<string, string>()
  for (const result of results) {
    const missed = trialsOf(result).filter(({ passed }) => passed !== true)
    for (const item of await itemsOf(result, missed.slice(0, mostTrials)))
      for (const failure of failuresIn(item)) {
        const stack = stackOf(failure)
        if (stack !== undefined && !stacks.has(stack)) stacks.set(stack, `${item.itemId} #${item.repetition}`)
      }
  }
  for (const [stack, trial] of [...stacks].slice(0, mostStacks)) terminal.err(`${safeBlock(`${trial}  ${stack}`)}\n`)
  if (stacks.size > mostStacks) terminal.err(`and ${stacks.size - mostStacks} more stacks\n`)
}

function failuresIn({ failure, attempts, verdict }: ItemResult): readonly Failure[] {
  const judgments = verdict === null ? [] : flatten(verdict)
  return [
    ...(failure === null ? [] : [failure]),
    ...attempts.map((attempt) => attempt.failure),
    ...judgments.flatMap(({ judgment }) => ('failure' in judgment ? [judgment.failure] : [])),
  ]
}

/** What came of a command's runs, to be written. */
export interface Written {
  readonly runs: readonly RunResult[]
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
  const whole = outputs.length === 0 ? [] : await Promise.all(runs.map(resultWithItems))
  for (const output of outputs)
    try {
      // An end that says no format is refused when the flags are read.
      await writeOutput(host, output, reportText(formatByEnding(output) ?? 'json', whole, { comparisons }))
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
  runs: readonly RunResult[],
  { isDocument, comparisonOf }: ToldToGithub,
): Promise<readonly string[]> {
  if (!isDocument)
    for (const run of runs)
      for (const line of githubAnnotations(await resultWithItems(run))) host.terminal.out(`${line}\n`)
  const summary = process.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (summary === '') return []
  try {
    for (const run of runs) {
      const comparison = comparisonOf(run)
      await appendFile(summary, githubSummary(await resultWithItems(run), comparison === null ? {} : { comparison }))
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
  readonly comparisonOf: (run: RunResult) => Comparison | null
}
