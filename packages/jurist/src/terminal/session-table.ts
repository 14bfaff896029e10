import { briefTrials, type ExperimentResult, outcomeCounts } from '@jurist/experiment/result'
import { dollars, duration, grouped, percent, rateBounds } from './amounts.js'
import { none } from './run-table.js'
import { safeLine } from './safe-text.js'
import { stagesOf } from './stages.js'
import { type Column, table } from './table.js'
import type { Terminal } from './terminal.js'

/**
 * The variants of a session, a line each: passes of the decided trials with the 95 % interval (Wilson's, unless trials
 * were repeated), how many of the planned trials each tier or judge passed, timeouts apart from failures, cost and time.
 */
export function sessionTable(results: readonly ExperimentResult[], terminal: Terminal): string {
  const stages = [...new Set(results.flatMap((result) => stagesOf(briefTrials(result)).map(({ name }) => name)))]
  const repeated = results.some(({ passRateInterval: range }) => range !== null && range.method !== 'wilson')
  const undecided = results.some(({ counts }) => counts.undecided > 0)
  const notRun = results.some(({ counts }) => counts.notRun > 0)
  const columns: readonly Column[] = [
    { title: 'VARIANT', shrinks: true },
    { title: 'PASSED', align: 'right' },
    { title: 'RATE', align: 'right' },
    { title: repeated ? '95 % BY ITEM' : '95 % WILSON', align: 'right' },
    ...stages.map((name) => ({ title: safeLine(name), align: 'right' as const, shrinks: true })),
    { title: 'TIMEOUT', align: 'right' },
    ...(undecided ? [{ title: 'UNDECIDED', align: 'right' as const }] : []),
    ...(notRun ? [{ title: 'NOT RUN', align: 'right' as const }] : []),
    { title: 'COST', align: 'right' },
    { title: 'TIME', align: 'right' },
  ]
  const rows = results.map((result) => rowOf(result, { stages, undecided, notRun }, terminal))
  return table(columns, rows, { width: terminal.columns, indent: '  ', ellipsis: terminal.unicode ? '…' : '~' })
}

/** The columns that only some sessions have. */
interface Shown {
  readonly stages: readonly string[]
  readonly undecided: boolean
  readonly notRun: boolean
}

function rowOf(
  result: ExperimentResult,
  { stages: names, undecided, notRun }: Shown,
  terminal: Terminal,
): readonly string[] {
  const { counts, planned } = result
  const trials = briefTrials(result)
  const missing = none(terminal)
  const range = result.passRateInterval
  const stages = new Map(stagesOf(trials).map((stage) => [stage.name, stage]))
  return [
    safeLine(result.variant ?? result.experimentName),
    `${grouped(counts.passes)}/${grouped(counts.decided)}`,
    percent(result.passRate, missing),
    range === null ? missing : rateBounds(range),
    ...names.map((name) => {
      const stage = stages.get(name)
      return stage === undefined ? missing : `${grouped(stage.passed)}/${grouped(planned)}`
    }),
    grouped(outcomeCounts(trials).timeout),
    ...(undecided ? [grouped(counts.undecided)] : []),
    ...(notRun ? [grouped(counts.notRun)] : []),
    dollars(result.costUsd, missing),
    duration(result.durationMs),
  ]
}
