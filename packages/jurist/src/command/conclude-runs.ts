import { counted } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { safeBlock } from '@jurist/kit/terminal'
import type { Thresholds } from '../config/config.js'
import { closingLine, type ExitCode } from './failure-report.js'
import type { Host } from './host.js'
import type { Performed } from './perform-run.js'
import type { Results } from './results-store.js'
import { againstBaselines } from './run-baseline.js'
import type { RunFlags } from './run-flags.js'
import { printReports, printStacks, tellGithub, writeReports } from './run-output.js'
import { missesOf } from './thresholds.js'

/** Runs that have ended, and what is asked of them. */
export interface Ended {
  readonly performed: readonly Performed[]
  readonly results: Results
  readonly thresholds: Thresholds
  readonly read: Pick<RunFlags, 'failOn' | 'reporter' | 'outputs'>
  /** Event files that could not be written, a sentence each. */
  readonly unwritten: readonly string[]
  /** What was interrupted and how to resume it, a line each. */
  readonly interrupted: readonly string[]
}

/** Applies the gates to runs, prints and writes the reports, and returns the exit code. Gates do not apply to a shard. */
export async function concludeRuns(host: Host, ended: Ended): Promise<ExitCode> {
  const { performed, results, thresholds, read, interrupted } = ended
  const finished = performed.flatMap((one) => one.results)
  const baselines = await againstBaselines(results, finished, read.failOn)
  const misses = [
    ...finished.flatMap((result) => missesOf(result, thresholds)),
    ...[...baselines.values()].flatMap((one) => one.misses),
  ]
  const comparisons = [...baselines.values()].flatMap(({ comparison }) => comparison ?? [])
  await printStacks(host, finished)
  await printReports(host, { performed, misses, results, read, baselines })
  for (const line of finished.flatMap(shardLine)) host.note(line)
  const onGithub = read.reporter.includes('github') || (process.env['GITHUB_ACTIONS'] ?? '') !== ''
  const comparisonOf = ({ id }: RunResult) => baselines.get(id)?.comparison ?? null
  const isDocument = host.flags.json === true || read.reporter.includes('json')
  const unwritten = [
    ...ended.unwritten,
    ...(await writeReports(host, read.outputs, { runs: finished, comparisons, results })),
    ...(onGithub ? await tellGithub(host, finished, { isDocument, comparisonOf }) : []),
  ]
  return exitCode(host, { interrupted, misses, broken: performed.flatMap((one) => one.broken), unwritten })
}

/** What a shard leaves to `jurist merge`. */
function shardLine({ shard, planned, variant, counts }: RunResult): readonly string[] {
  if (shard === undefined) return []
  const { index, count } = shard
  const who = variant === null ? '' : `${variant}: `
  return [
    `${who}shard ${index}/${count} ran ${counts.run} of ${counted(planned, 'trial')}. Thresholds and baselines do not apply ` +
      'to it: jurist merge applies them to all shards. A budget counts for one shard.',
  ]
}

/** What did not go well, one line each. */
interface Shortcomings extends Pick<Ended, 'interrupted' | 'unwritten'> {
  readonly misses: readonly string[]
  readonly broken: readonly string[]
}

function exitCode({ terminal }: Host, { interrupted, misses, broken, unwritten }: Shortcomings): ExitCode {
  for (const line of unwritten) terminal.err(`${terminal.style.red('Failed')}: ${safeBlock(line)}\n`)
  for (const line of interrupted) terminal.err(`${line}\n`)
  const isBroken = broken.length > 0 || unwritten.length > 0
  const code = interrupted.length > 0 ? 130 : isBroken ? 3 : misses.length > 0 ? 1 : 0
  if (code !== 0) terminal.err(closingLine(code))
  return code
}
