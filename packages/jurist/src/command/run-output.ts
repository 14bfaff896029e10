import { join } from 'node:path'
import { comparisonReport } from '@jurist/experiment/report'
import type { ExperimentResult } from '@jurist/experiment/result'
import { failureLines, machineLines, runReport } from '../terminal/run-report.js'
import { sessionTable } from '../terminal/run-tables.js'
import { commandLine } from './command-line.js'
import type { Host } from './host.js'
import { isolationNotice } from './isolation-notice.js'
import type { Performed } from './perform-run.js'
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
export function printReports(host: Host, { performed, misses, results, read, baselines }: Reported): void {
  const { terminal, flags } = host
  if (flags.json === true || read.reporters.includes('json')) {
    const runs = performed.flatMap((one) => one.results)
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
  const notice = isolationNotice(performed.flatMap((one) => one.results))
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

function failuresOf(run: ExperimentResult, terminal: Host['terminal']): readonly string[] {
  const lines = failureLines(run, terminal, failuresPerVariant)
  return lines.length === 0 ? [] : ['', `  ${run.variant}`, ...machineLines(run), ...lines.slice(1)]
}

function placeOf({ directory, shown }: Results, experiment: string, id: string): string {
  return directory === undefined ? `${id} in ${shown}` : join(shown, experiment, id)
}
