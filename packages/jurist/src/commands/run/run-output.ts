import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Failure, flatten } from '@jurist/core'
import { failureOf, stackOf } from '@jurist/core/internal'
import type { ExperimentOptions } from '@jurist/experiment'
import type { Comparison } from '@jurist/experiment/compare'
import {
  comparedTrials,
  itemsOf,
  pairwiseTests,
  quarantineText,
  resultWithItems,
  testsCannotFailText,
  trialsOf,
  trialText,
  type UndecidedJudge,
  variantFigures,
} from '@jurist/experiment/internal/results'
import { comparisonReport, githubAnnotations, githubSummary, reportText } from '@jurist/experiment/report'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { safeBlock, safeLine } from '@jurist/kit/terminal'
import { unwritten, writeOutput } from '../../command-kit/files.js'
import type { Host } from '../../command-kit/host.js'
import { formatByEnding, formats } from '../../command-kit/report-formats.js'
import { type Results, scansKept } from '../../command-kit/results-store.js'
import { networkLines } from '../../terminal/network-report.js'
import {
  cannotFailLines,
  certificateBlock,
  failureLines,
  machineLines,
  runReport,
  undecidedJudgeLines,
} from '../../terminal/run-report.js'
import { sessionTable } from '../../terminal/run-tables.js'
import { pairLines } from '../../terminal/session-report.js'
import type { AgainstBaseline } from './run-baseline.js'
import type { RunFlags } from './run-flags.js'

/** The results of one experiment. */
export interface Performed {
  readonly experiment: Pick<ExperimentOptions, 'name'>
  readonly session: string | null
  readonly results: readonly RunResult[]
  /** Variants whose run failed, one per line. */
  readonly broken: readonly string[]
  /** Variants that had not started when the command was interrupted. */
  readonly left: readonly string[]
}

const failuresPerVariant = 5

/** What is printed and written of runs that have ended. */
export interface Reported {
  readonly performed: readonly Performed[]
  /** All their results. */
  readonly runs: readonly RunResult[]
  readonly misses: readonly string[]
  readonly results: Results
  readonly read: Pick<RunFlags, 'reporter' | 'outputs'>
  /** Keyed by run id. */
  readonly baselines: ReadonlyMap<string, AgainstBaseline>
  /** The judges that decided too little, by run id. */
  readonly judges: UndecidedInRuns
  /** Whether stdout is one JSON document. */
  readonly isDocument: boolean
}

/** The comparisons of runs with their baselines. */
function comparisonsIn(baselines: Reported['baselines']): readonly Comparison[] {
  return [...baselines.values()].flatMap(({ comparison }) => comparison ?? [])
}

/** The judges of each run that decided too few trials, by run id. */
export type UndecidedInRuns = ReadonlyMap<string, readonly UndecidedJudge[]>

/** Prints the results: one JSON document, or a table for each experiment followed by a line for each miss. */
export async function printReports(
  host: Host,
  { performed, runs, misses, results, baselines, judges, isDocument }: Reported,
): Promise<void> {
  const { terminal } = host
  const ids = new Set(runs.map(({ id }) => id))
  const isFirst = await holdsOnly(results, ids)
  const comparisons = comparisonsIn(baselines)
  if (isDocument) {
    const whole = await Promise.all(runs.map(resultWithItems))
    const sessions = performed.flatMap(({ session }) => session ?? [])
    const undecidedJudges = [...judges].flatMap(([run, ofRun]) => ofRun.map((judge) => ({ run, ...judge })))
    host.json({ undecidedJudges, results: whole, sessions, misses, ...(baselines.size === 0 ? {} : { comparisons }) })
  } else {
    for (const one of performed)
      if (!isNothing(one)) terminal.out(`${await reportOf(one, host, results, { judges, isFirst })}\n`)
    const { color } = terminal
    for (const comparison of comparisons)
      terminal.out(`${comparisonReport(comparison, { format: 'console', color, width: terminal.columns })}\n`)
  }
  for (const { experiment } of performed.filter(isNothing))
    host.note(
      `${experiment.name}: nothing is unfinished, so nothing ran. Start a new run: ${terminal.command('run', experiment.name)}`,
    )
  for (const { warning, notice } of baselines.values()) {
    if (warning !== undefined) host.note(`warning: ${warning}`)
    if (notice !== undefined) host.note(`notice: ${notice}`)
  }
  const fresh = await Promise.all(
    performed.map(async (one) => ((await holdsOnly(results, ids, one.experiment.name)) ? one.results : [])),
  )
  const notice = await isolationNotice(fresh.flat())
  if (notice !== undefined) host.note(`notice: ${notice}`)
  for (const miss of misses) terminal.err(`${terminal.style.red('Missed')}: ${miss}\n`)
  for (const line of performed.flatMap(({ broken }) => broken))
    terminal.err(`${terminal.style.red('Failed')}: ${line}\n`)
}

/** Whether the store holds no earlier run: hints are for the first runs of a project, or of an experiment. */
async function holdsOnly({ store }: Results, ids: ReadonlySet<string>, experimentName?: string): Promise<boolean> {
  const query = { experimentName, limit: ids.size + 1, includeExcluded: true }
  for await (const { id } of store.list(query)) if (!ids.has(id)) return false
  return true
}

/** Whether there was nothing to resume. */
function isNothing({ results, broken, left }: Performed): boolean {
  return results.length + broken.length + left.length === 0
}

async function reportOf(
  { experiment, session, results: runs }: Performed,
  host: Host,
  results: Results,
  { judges, isFirst }: { readonly judges: UndecidedInRuns; readonly isFirst: boolean },
): Promise<string> {
  const { terminal } = host
  const [first] = runs
  const { directory, shown } = results
  const stored = runs.map(({ id }) =>
    directory === undefined ? `  ${id} in ${shown}` : `  ${join(shown, experiment.name, id)}`,
  )
  const missed = runs.find((run) => run.passCount < run.counts.planned)
  const words = missed === undefined ? [first?.id ?? 'latest'] : [missed.id, '--failures']
  const closer = `  Look closer:  ${terminal.command('show', ...words)}`
  const seeing = `  See it:       ${terminal.command('view', missed?.id ?? first?.id ?? 'latest')}`
  const certificates = (await Promise.all(runs.map(certificateBlock))).flat()
  const network = (await Promise.all(runs.map((run) => networkLines(run, terminal)))).flat()
  const footer = [
    ...certificates,
    ...network,
    '  Stored:',
    ...stored.map((line) => `  ${line}`),
    ...(isFirst && first !== undefined ? [closer, seeing] : []),
    '',
  ]
  if (runs.length === 1 && first !== undefined)
    return [runReport(first, terminal, { judges: judges.get(first.id) ?? [] }), ...footer].join('\n')
  return [
    ...runs.flatMap((run) => cannotFailLines(testsCannotFailText(run), terminal, run.variant ?? run.id)),
    ...runs.flatMap(({ id, variant }) => undecidedJudgeLines(judges.get(id) ?? [], terminal, variant ?? id)),
    `${terminal.style.bold(experiment.name)}   session ${session}   ${runs.length} variants`,
    '',
    sessionTable(runs, terminal),
    ...quarantineLines(runs),
    ...runs.flatMap((run) => failuresOf(run, terminal)),
    // Pairs that stop when they are decided are tested by their plan.
    ...(runs.some(({ sequential }) => sequential !== undefined)
      ? []
      : pairLines(runs.map(variantFigures), pairwiseTests(runs.map(comparedTrials)), terminal)),
    '',
    ...footer,
  ].join('\n')
}

function quarantineLines(runs: readonly RunResult[]): readonly string[] {
  const lines = runs.flatMap((run) => {
    const text = quarantineText(run)
    return text === '' ? [] : [`  Quarantine  ${safeLine(run.variant ?? run.id)}: ${text}`]
  })
  return lines.length === 0 ? [] : ['', ...lines]
}

function failuresOf(run: RunResult, terminal: Host['terminal']): readonly string[] {
  const lines = failureLines(run, terminal, failuresPerVariant)
  return lines.length === 0 ? [] : ['', `  ${run.variant}`, ...machineLines(run, terminal), ...lines.slice(1)]
}

const notice =
  'isolation none: what agents ran could read your files, your variables and the reference answers. To isolate it, ' +
  'give the experiment sandbox: bubblewrap (or docker:IMAGE) in YAML or JSON, ' +
  "provision: copyWorkspaces({ sandbox: 'bubblewrap' }) in code."

/** The maximum number of trials that are read to find out whether a run had workspaces. */
const mostRead = 200

/** Returns a notice for runs with workspaces but without isolation, otherwise `undefined`. */
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

/** With `--debug`, prints the stacks of the errors that agents and judges of these runs threw, without duplicates. */
export async function printStacks({ flags, terminal }: Host, results: readonly RunResult[]): Promise<void> {
  if (flags.debug !== true) return
  const stacks = new Map<string, string>()
  for (const result of results) {
    const missed = trialsOf(result).filter(({ passed }) => passed !== true)
    for (const item of await itemsOf(result, missed.slice(0, mostTrials)))
      for (const failure of failuresIn(item)) {
        const stack = stackOf(failure)
        if (stack !== undefined && !stacks.has(stack)) stacks.set(stack, trialText(item))
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

/**
 * Writes all runs to each file of `--output` and `--reporter junit=file`, in the format of its extension. Returns a
 * sentence for each file that could not be written.
 */
export async function writeReports(
  host: Host,
  { runs, baselines, results, read: { outputs } }: Reported,
): Promise<readonly string[]> {
  if (runs.length === 0) return []
  const again = host.terminal.command('export', ...runs.map(({ id }) => id), '-o')
  const failures: string[] = []
  const whole = outputs.length === 0 ? [] : await Promise.all(runs.map(resultWithItems))
  const scans = await scansKept(results, runs)
  for (const output of outputs)
    try {
      // Unknown extensions were already refused with the flags.
      await writeOutput(
        host,
        output,
        reportText(formats[formatByEnding(output) ?? 'json'], whole, { comparisons: comparisonsIn(baselines), scans }),
      )
      host.note(`wrote ${output} (results in ${results.shown})`)
    } catch (thrown) {
      failures.push(`${failureOf(thrown).message} The runs are stored: ${again} <file>`)
    }
  return failures
}

/**
 * Prints annotations for GitHub Actions, unless stdout is a JSON document, and appends to the file that GitHub names
 * for the summary of the step. Returns a sentence if that file could not be written.
 */
export async function reportToGithub(
  host: Host,
  { runs, baselines, isDocument }: Reported,
): Promise<readonly string[]> {
  if (!isDocument)
    for (const run of runs)
      for (const line of githubAnnotations(await resultWithItems(run))) host.terminal.raw(`${line}\n`)
  const summary = process.env['GITHUB_STEP_SUMMARY'] ?? ''
  if (summary === '') return []
  try {
    for (const run of runs) {
      const comparison = baselines.get(run.id)?.comparison ?? undefined
      await appendFile(summary, githubSummary(await resultWithItems(run), { comparison }))
    }
    return []
  } catch (thrown) {
    const { message } = failureOf(unwritten(summary, thrown))
    return [`${message} GITHUB_STEP_SUMMARY names this one.`]
  }
}
