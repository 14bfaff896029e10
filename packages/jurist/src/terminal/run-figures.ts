import {
  briefTrials,
  type ExperimentResult,
  environmentText,
  failureText,
  passAtKText,
  passHatKText,
  scoreMeans,
  tokensOf,
  undecidedText,
} from '@jurist/experiment/result'
import { counted, dollars, duration, grouped, namedInterval, percent } from './amounts.js'
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
    ...scoreLines(result),
    ...costLines(result, terminal),
    `  Time       ${duration(result.agentMs?.total ?? 0)} of agents, ${duration(result.durationMs)} on the clock`,
  ]
}

function passLines(result: ExperimentResult, terminal: Terminal): readonly string[] {
  const { counts, passRate, passRateOfAll, passRateInterval: range } = result
  const bounds =
    range !== null
      ? `   (${namedInterval(range)})`
      : counts.decided > 0
        ? '   (no interval: the trials of one item)'
        : ''
  const share = (passes: number, of: number) => `${grouped(passes)} of ${grouped(of)}`
  const missing = none(terminal)
  const decided = `  Passed     ${share(counts.passes, counts.decided)} decided  ${percent(passRate, missing)}${bounds}`
  if (counts.decided === counts.planned) return [decided]
  const of = `${share(counts.passes, counts.planned)} planned  ${percent(passRateOfAll, missing)}`
  return [decided, `             ${of}   ${undecidedText(briefTrials(result), counts.planned)}`]
}

/** Timeouts apart from other failures. */
function outcomeLines(result: ExperimentResult): readonly string[] {
  const failed = failureText(briefTrials(result))
  return [...(failed === '' ? [] : [`  Failed     ${failed}`]), ...machineLines(result)]
}

/** The fails that a missing tool or network may have caused: the figures are worth nothing before it is looked at. */
export function machineLines(result: ExperimentResult): readonly string[] {
  const machine = environmentText(briefTrials(result), result.id)
  return machine === '' ? [] : [`  Machine    ${safeLine(machine)}`]
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
  return [`  pass@k     ${passAtKText(passAtK)}`, `  pass^k     ${passHatKText(passAtK)}`]
}

/** Means with their standard errors, of scores that are more than passes and fails. */
function scoreLines({ scores }: ExperimentResult): readonly string[] {
  return scoreMeans(scores).map(
    ({ name, mean, basis }, index) =>
      `  ${index === 0 ? 'Scores' : '      '}     ${safeLine(name)} ${mean}   (${basis})`,
  )
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
