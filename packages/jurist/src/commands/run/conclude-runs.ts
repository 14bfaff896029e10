import { type KeptScan, runScan } from '@jurist/experiment/internal/journal'
import {
  type AllowAbstain,
  counted,
  countedTrials,
  readThreshold,
  readUndecidedJudges,
  type UndecidedJudge,
  wilsonInterval,
} from '@jurist/experiment/internal/results'
import type { ExitCode } from '@jurist/experiment/plugin'
import { dollars, percent, type RunResult, reasonOf } from '@jurist/experiment/result'
import { safeBlock } from '@jurist/kit/terminal'
import { ended, type Host } from '../../command-kit/host.js'
import { neverJudged } from '../../command-kit/regression-gate.js'
import { type Results, scansKept } from '../../command-kit/results-store.js'
import type { Thresholds } from '../../config/config.js'
import { againstBaselines } from './run-baseline.js'
import type { RunFlags } from './run-flags.js'
import {
  type Performed,
  printReports,
  printStacks,
  reportToGithub,
  type UndecidedInRuns,
  writeReports,
} from './run-output.js'

/** Returns the thresholds that a run missed, one per line. */
function missesOf(
  result: RunResult,
  thresholds: Thresholds,
  { judges, scan }: { readonly judges: readonly UndecidedJudge[]; readonly scan: KeptScan | undefined },
): readonly string[] {
  const who = result.variant === null ? '' : `${result.variant}: `
  const { counts, passRateOfAll } = result
  const stopped = result.status === 'stopped' ? [stoppedEarly(result)] : []
  // Some of the trials do not prove enough: thresholds apply to the merged run.
  if (result.shard !== undefined) return stopped.map((miss) => `${who}${miss}`)
  const { minimumDecided = 1 } = thresholds
  const misses = [
    ...(counts.decided < Math.max(1, minimumDecided) ? [decidedTooLittle(result, minimumDecided)] : []),
    ...everyAgentBroke(result),
    ...neverJudged(judges),
    ...(result.sequential === undefined ? passRateTooLow(result, thresholds) : thresholdMissed(result)),
    ...below('pass rate of all planned trials', passRateOfAll, thresholds.passRateOfAll),
    ...Object.entries(thresholds.scores ?? {}).flatMap(([key, wanted]) => scoreTooLow(result, key, wanted, thresholds)),
    ...tooExpensive(result, thresholds.maxCostUsd),
    ...tooSuspect(result, scan, thresholds.suspects),
    ...stopped,
  ]
  return misses.map((miss) => `${who}${miss}`)
}

/** A pass that was not scanned as a whole may be a suspect one. */
function tooSuspect(result: RunResult, kept: KeptScan | undefined, most: number | undefined): readonly string[] {
  if (most === undefined) return []
  if (kept === undefined) return ['no scan says how many passes are suspect']
  const broken = Object.keys(kept.errors)
  if (broken.length > 0) return [`rules of the scan failed: ${broken.join(', ')}`]
  const { passes, suspectPasses, unseenPasses } = runScan(result, kept).figures
  const high = wilsonInterval(suspectPasses + unseenPasses, passes)?.high ?? 0
  if (high <= most) return []
  const unseen = unseenPasses === 0 ? '' : `, ${unseenPasses} not scanned as a whole`
  const range = `at most ${percent(high)} by its confidence interval`
  return [
    `${suspectPasses} of ${counted(passes, 'pass', 'passes')} suspect${unseen}: ${range}, ${percent(most)} wanted`,
  ]
}

function decidedTooLittle({ counts }: RunResult, minimum: number): string {
  if (counts.decided === 0) return `nothing was decided: ${counts.undecided} undecided, ${counts.notRun} not run`
  return `only ${counts.decided} of ${counts.planned} trials were decided, ${minimum} wanted`
}

/**
 * A run in which no agent completed measured nothing, regardless of its verdicts. The cause need not be the agent: it
 * may be a simulated user.
 */
function everyAgentBroke(result: RunResult): readonly string[] {
  const { agent } = result.counts
  const broke = agent.error + agent.timeout + agent['setup-error']
  if (agent.completed > 0 || broke === 0) return []
  const kinds = {
    'ended in an error': agent.error,
    'ran out of time': agent.timeout,
    'never began': agent['setup-error'],
  }
  const how = Object.entries(kinds).flatMap(([kind, count]) => (count === 0 ? [] : [`${count} ${kind}`]))
  return [`no agent completed (${how.join(', ')})${firstFailure(result)}`]
}

/** Formats `; the first: …` with the failure of the first agent that failed. */
function firstFailure(result: RunResult): string {
  const broken = countedTrials(result).find(({ agent }) => agent !== 'completed' && agent !== 'cancelled')
  return broken === undefined ? '' : `; the first: ${reasonOf(broken)}`
}

/**
 * Undecided trials could have passed or failed. Unless `minimumDecided` is set, the rate must hold even if all of them
 * had failed: an agent must not raise its pass rate by breaking its judges.
 */
function passRateTooLow(result: RunResult, thresholds: Thresholds): readonly string[] {
  const { passRate: wanted, minimumDecided } = thresholds
  const { counts, passRate, passRateOfAll } = result
  const short = below('pass rate of decided trials', passRate, wanted)
  if (short.length > 0 || wanted === undefined || minimumDecided !== undefined) return short
  const open = counts.planned - counts.decided
  return below(
    `pass rate ${percent(passRate)} of decided trials, but ${counted(open, 'trial')} of ${counts.planned} decided nothing. ` +
      'With these as failed it is',
    passRateOfAll,
    wanted,
  ).map((line) => `${line}. "thresholds.minimumDecided" sets how many decided trials are enough`)
}

/** A run that stops when it is decided is judged by its evidence: the rate of the items that ran is not that of all. */
function thresholdMissed(result: RunResult): readonly string[] {
  const reading = readThreshold(result)
  if (reading === undefined || reading.why === 'met') return []
  const wanted = `the threshold of ${percent(reading.threshold)}`
  return [reading.why === null ? `not decided whether ${wanted} is met` : `${wanted} is missed`]
}

/** An undecided trial without the score could have had the lowest one. */
function scoreTooLow(
  result: RunResult,
  key: string,
  wanted: number,
  { minimumDecided }: Thresholds,
): readonly string[] {
  const { mean = null, n = 0 } = result.scores[key] ?? {}
  const short = below(`mean score of ${key}`, mean, wanted)
  if (short.length > 0 || mean === null || minimumDecided !== undefined) return short
  const open = countedTrials(result).filter(({ passed, scores }) => passed === null && scores[key] === undefined).length
  const without = open + result.counts.notRun
  const lowest = (mean * n) / (n + without)
  return below(
    `mean score of ${key} ${percent(mean)}, but ${counted(without, 'trial')} decided nothing. With these as 0 it is`,
    lowest,
    wanted,
  ).map((line) => `${line}. "thresholds.minimumDecided" sets how many decided trials are enough`)
}

function stoppedEarly({ stopReason, counts }: RunResult): string {
  return `stopped early (${stopReason}): ${counted(counts.notRun, 'trial')} ${counts.notRun === 1 ? 'was' : 'were'} not run`
}

function below(what: string, reached: number | null, wanted: number | undefined): readonly string[] {
  if (wanted === undefined || (reached !== null && reached + 1e-9 >= wanted)) return []
  return [`${what} ${reached === null ? 'unknown' : percent(reached)}, ${percent(wanted)} wanted`]
}

function tooExpensive(result: RunResult, most: number | undefined): readonly string[] {
  if (most === undefined) return []
  const { costUsd, judgeCostUsd, judgeUsage, userCostUsd, userUsage, unpricedTrials } = result
  if (costUsd === null || unpricedTrials > 0)
    return [`cost unknown: ${unpricedTrials} trials declared none, at most ${dollars(most)} wanted`]
  if (judgeCostUsd === null && Object.values(judgeUsage ?? {}).some((count) => (count ?? 0) > 0))
    return [`cost unknown: the judges used tokens and declared none, at most ${dollars(most)} wanted`]
  if (userCostUsd === null && Object.values(userUsage ?? {}).some((count) => (count ?? 0) > 0))
    return [`cost unknown: the simulated users used tokens and declared none, at most ${dollars(most)} wanted`]
  const total = costUsd + (judgeCostUsd ?? 0) + (userCostUsd ?? 0)
  return total > most ? [`cost ${exactly(total)}, at most ${exactly(most)} wanted`] : []
}

/** Formats dollars as usual, but with more digits if cents would hide the difference. */
function exactly(usd: number): string {
  return Math.abs(Math.round(usd * 100) / 100 - usd) < 1e-9 ? dollars(usd) : `$${Number(usd.toPrecision(6))}`
}

/** Runs that have ended, with their requirements. */
interface Ended {
  readonly performed: readonly Performed[]
  readonly results: Results
  readonly thresholds: Thresholds
  readonly read: Pick<RunFlags, 'failOn' | 'reporter' | 'outputs'>
  /** Returns the judges of a run that may abstain in every trial; `undefined` selects those of the run. */
  readonly allowAbstain?: (run: RunResult) => AllowAbstain | undefined
  /** Event files that could not be written, one sentence each. */
  readonly unwritten: readonly string[]
  /** Interrupted runs with the command to resume them, one per line. */
  readonly interrupted: readonly string[]
}

/**
 * Applies the gates to runs, prints and writes the reports, and returns the exit code. Gates do not apply to a shard.
 */
export async function concludeRuns(host: Host, given: Ended): Promise<ExitCode> {
  const { performed, results, thresholds, read } = given
  const runs = performed.flatMap((one) => one.results)
  const judges: UndecidedInRuns = new Map(
    await Promise.all(
      runs.map(async (run) => [run.id, await readUndecidedJudges(run, given.allowAbstain?.(run))] as const),
    ),
  )
  const baselines = await againstBaselines(results, runs, read.failOn)
  const scans = thresholds.suspects === undefined ? {} : await scansKept(results, runs)
  const misses = [
    ...runs.flatMap((run) => missesOf(run, thresholds, { judges: judges.get(run.id) ?? [], scan: scans[run.id] })),
    ...[...baselines.values()].flatMap((one) => one.misses),
  ]
  const isDocument = host.flags.json === true || read.reporter.includes('json')
  const reported = { performed, runs, misses, results, read, baselines, judges, isDocument }
  await printStacks(host, runs)
  await printReports(host, reported)
  for (const line of runs.flatMap(shardLine)) host.note(line)
  const onGithub = read.reporter.includes('github') || (process.env['GITHUB_ACTIONS'] ?? '') !== ''
  const unwritten = [
    ...given.unwritten,
    ...(await writeReports(host, reported)),
    ...(onGithub ? await reportToGithub(host, reported) : []),
  ]
  const { terminal } = host
  for (const line of unwritten) terminal.err(`${terminal.style.red('Failed')}: ${safeBlock(line)}\n`)
  for (const line of given.interrupted) terminal.err(`${line}\n`)
  const isBroken = performed.some(({ broken }) => broken.length > 0) || unwritten.length > 0
  return ended(host, given.interrupted.length > 0 ? 130 : isBroken ? 3 : misses.length > 0 ? 1 : 0)
}

/** Describes the shard and the step that remains for `jurist store merge`. */
function shardLine({ shard, planned, variant, counts }: RunResult): readonly string[] {
  if (shard === undefined) return []
  const { index, count } = shard
  const who = variant === null ? '' : `${variant}: `
  return [
    `${who}shard ${index}/${count} ran ${counts.run} of ${counted(planned, 'trial')}. Thresholds and baselines do not apply ` +
      'to it: jurist store merge applies them to all shards. A budget counts for one shard.',
  ]
}
