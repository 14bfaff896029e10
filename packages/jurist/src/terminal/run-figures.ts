import type { ExperimentResult } from '@jurist/experiment/result'
import { briefTrials, tokensOf } from '@jurist/experiment/result'
import { counted, dollars, duration, grouped, interval, percent } from './amounts.js'
import { outcomeOf } from './outcome.js'
import { none } from './run-table.js'
import { safeLine } from './safe-text.js'
import { stagesOf } from './stages.js'
import type { Terminal } from './terminal.js'

/** The figures under the table of a run, each with its denominator. */
export function runFigures(result: ExperimentResult, terminal: Terminal): readonly string[] {
  return [
    ...passLines(result, terminal),
    ...outcomeLines(result),
    ...stageLines(result),
    ...passAtLines(result),
    ...costLines(result, terminal),
    `  Time       ${duration(result.agentMs?.total ?? 0)} of agents, ${duration(result.durationMs)} on the clock`,
  ]
}

function passLines(result: ExperimentResult, terminal: Terminal): readonly string[] {
  const { counts, passRate, passRateOfAll, passRateInterval: range } = result
  const bounds =
    range !== null
      ? `   (95 %: ${interval(range)}, ${range.method === 'wilson' ? 'Wilson' : 'by item'})`
      : counts.decided > 0
        ? '   (no interval: the trials of one item)'
        : ''
  const share = (passes: number, of: number) => `${grouped(passes)} of ${grouped(of)}`
  const missing = none(terminal)
  const decided = `  Passed     ${share(counts.passes, counts.decided)} decided  ${percent(passRate, missing)}${bounds}`
  if (counts.decided === counts.planned) return [decided]
  const left = [
    ...(counts.undecided > 0 ? [`${grouped(counts.undecided)} undecided${undecidedBy(result)}`] : []),
    ...(counts.notRun > 0 ? [`${grouped(counts.notRun)} not run`] : []),
  ]
  const of = `${share(counts.passes, counts.planned)} planned  ${percent(passRateOfAll, missing)}`
  return [decided, `             ${of}   ${left.join(', ')}`]
}

function undecidedBy(result: ExperimentResult): string {
  const causes = new Map<string, number>()
  for (const { passed, agent, judged } of briefTrials(result)) {
    if (passed !== null) continue
    const cause = agent !== 'completed' ? agent : judged === 'error' ? 'judge error' : judged
    causes.set(cause, (causes.get(cause) ?? 0) + 1)
  }
  return causes.size === 0 ? '' : `: ${[...causes].map(([cause, count]) => `${cause} ${grouped(count)}`).join(', ')}`
}

/** Timeouts apart from other failures. */
function outcomeLines(result: ExperimentResult): readonly string[] {
  const outcomes = briefTrials(result).map(outcomeOf)
  const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length
  const parts = [
    ...(count('fail') > 0 ? [`${grouped(count('fail'))} failed`] : []),
    ...(count('timeout') > 0 ? [`${grouped(count('timeout'))} timed out`] : []),
    ...(count('error') > 0 ? [`${counted(count('error'), 'agent error')}`] : []),
  ]
  return parts.length === 0 ? [] : [`  Failed     ${parts.join(', ')}`]
}

function stageLines(result: ExperimentResult): readonly string[] {
  const { planned } = result
  const stages = stagesOf(briefTrials(result))
  if (stages.length < 2) return []
  const parts = stages.map(({ name, passed, reached }) => {
    const stopped = reached === planned ? '' : ` (${grouped(reached)} reached)`
    return `${safeLine(name)} ${grouped(passed)}/${grouped(planned)}${stopped}`
  })
  return [`  By judge   ${parts.join('   ')}`]
}

function passAtLines(result: ExperimentResult): readonly string[] {
  const { passAtK } = result
  if (briefTrials(result).every(({ repetition }) => repetition === 1)) return []
  const at = passAtK.map(({ k, passAtK: rate }) => `k=${k} ${rate.toFixed(2)}`)
  const hat = passAtK.filter(({ k }) => k > 1).map(({ k, passHatK }) => `k=${k} ${passHatK.toFixed(2)}`)
  return [`  pass@k     ${at.join('   ')}      pass^k  ${hat.join('   ')}`]
}

function costLines(result: ExperimentResult, terminal: Terminal): readonly string[] {
  const { costUsd, judgeCostUsd, usage, unpricedTrials } = result
  const missing = none(terminal)
  const unpriced = unpricedTrials > 0 ? `   ${counted(unpricedTrials, 'trial')} without a declared cost` : ''
  const input = usage?.inputTokens
  const output = usage?.outputTokens
  const tokens = tokensOf(usage) === null ? '' : `   tokens ${grouped(input ?? 0)} in, ${grouped(output ?? 0)} out`
  if (costUsd === null && judgeCostUsd === null && tokens === '') return [`  Cost       nobody declared one`]
  const judges = judgeCostUsd === null ? '' : `  ${dollars(judgeCostUsd)} judges`
  return [`  Cost       ${dollars(costUsd, missing)} agent${judges}${tokens}${unpriced}`]
}
