import type { ExperimentResult } from '@jurist/experiment/result'
import type { Thresholds } from '../config/config.js'
import { counted, dollars, percent } from '../terminal/amounts.js'

/** Every way in which a run fell short, a line each; `[]`: it is good enough. */
export function missesOf(result: ExperimentResult, thresholds: Thresholds): readonly string[] {
  const who = result.variant === null ? '' : `${result.variant}: `
  const { counts, passRate, passRateOfAll } = result
  const { minimumDecided = 1 } = thresholds
  const misses = [
    ...(counts.decided < Math.max(1, minimumDecided) ? [decidedTooLittle(result, minimumDecided)] : []),
    ...below('pass rate of decided trials', passRate, thresholds.passRate),
    ...below('pass rate of all planned trials', passRateOfAll, thresholds.passRateOfAll),
    ...Object.entries(thresholds.scores ?? {}).flatMap(([key, wanted]) =>
      below(`mean score of ${key}`, result.scores[key]?.mean ?? null, wanted),
    ),
    ...tooExpensive(result, thresholds.maxCostUsd),
    ...(result.status === 'stopped'
      ? [
          `stopped early (${result.stopReason}): ${counted(counts.notRun, 'trial')} ${counts.notRun === 1 ? 'was' : 'were'} not run`,
        ]
      : []),
  ]
  return misses.map((miss) => `${who}${miss}`)
}

function decidedTooLittle({ counts }: ExperimentResult, minimum: number): string {
  if (counts.decided === 0) return `nothing was decided: ${counts.undecided} undecided, ${counts.notRun} not run`
  return `only ${counts.decided} of ${counts.planned} trials were decided, ${minimum} wanted`
}

function below(what: string, reached: number | null, wanted: number | undefined): readonly string[] {
  if (wanted === undefined || (reached !== null && reached + 1e-9 >= wanted)) return []
  return [`${what} ${reached === null ? 'unknown' : percent(reached)}, ${percent(wanted)} wanted`]
}

function tooExpensive(result: ExperimentResult, most: number | undefined): readonly string[] {
  if (most === undefined) return []
  const { costUsd, judgeCostUsd, judgeUsage, unpricedTrials } = result
  if (costUsd === null || unpricedTrials > 0)
    return [`cost unknown: ${unpricedTrials} trials declared none, at most ${dollars(most)} wanted`]
  if (judgeCostUsd === null && Object.values(judgeUsage ?? {}).some((count) => (count ?? 0) > 0))
    return [`cost unknown: the judges used tokens and declared none, at most ${dollars(most)} wanted`]
  const total = costUsd + (judgeCostUsd ?? 0)
  return total > most ? [`cost ${exactly(total)}, at most ${exactly(most)} wanted`] : []
}

/** As elsewhere, unless cents would hide what was asked for. */
function exactly(usd: number): string {
  return Math.abs(Math.round(usd * 100) / 100 - usd) < 1e-9 ? dollars(usd) : `$${Number(usd.toPrecision(6))}`
}
