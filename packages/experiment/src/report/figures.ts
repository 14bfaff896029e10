import type { ExperimentResult } from '../result/records.js'
import { tokensOf } from '../result/usage.js'
import { counted, dollars, duration, grouped, percent, rateInterval } from './amounts.js'

/** One figure of a run: what it is, and what it comes to, each rate with its denominator. Plain text. */
export interface Figure {
  readonly name: string
  readonly value: string
}

/** The figures of a run that every report shows. */
export function figuresOf(result: ExperimentResult): readonly Figure[] {
  return [
    ...passFigures(result),
    ...repeatedFigures(result),
    { name: 'Agents', value: spent(result.costUsd, tokensOf(result.usage)) },
    { name: 'Judges', value: spent(result.judgeCostUsd, tokensOf(result.judgeUsage)) },
    ...(result.unpricedTrials === 0
      ? []
      : [{ name: 'Unpriced', value: `${counted(result.unpricedTrials, 'trial')} without a declared cost` }]),
    { name: 'Time', value: timeOf(result) },
  ]
}

/** Both pass rates, the second one when it differs. */
function passFigures({ counts, passRate, passRateOfAll, passRateInterval }: ExperimentResult): readonly Figure[] {
  const interval =
    passRateInterval === null ? '' : `, 95 % ${rateInterval(passRateInterval)} (${passRateInterval.method})`
  const decided = `${percent(passRate)} of decided trials (${grouped(counts.passes)} of ${grouped(counts.decided)}${interval})`
  if (passRate === passRateOfAll) return [{ name: 'Passed', value: decided }]
  const left = [
    ...(counts.undecided > 0 ? [`${grouped(counts.undecided)} undecided`] : []),
    ...(counts.notRun > 0 ? [`${grouped(counts.notRun)} not run`] : []),
  ].join(', ')
  const all = `${percent(passRateOfAll)} of planned trials (${grouped(counts.passes)} of ${grouped(counts.planned)}; ${left})`
  return [
    { name: 'Passed', value: decided },
    { name: '', value: all },
  ]
}

function repeatedFigures({ passAtK, flakyItems, items }: ExperimentResult): readonly Figure[] {
  if (items.every(({ repetition }) => repetition === 1)) return []
  const at = passAtK.map(({ k, passAtK: rate }) => `k=${k} ${rate.toFixed(2)}`).join('  ')
  const hat = passAtK.map(({ k, passHatK }) => `k=${k} ${passHatK.toFixed(2)}`).join('  ')
  return [
    { name: 'pass@k', value: at },
    { name: 'pass^k', value: hat },
    ...(flakyItems.length === 0 ? [] : [{ name: 'Flaky', value: named(flakyItems) }]),
  ]
}

const mostNames = 20

function named(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).join(', ')
  return names.length > mostNames ? `${shown} and ${grouped(names.length - mostNames)} more` : shown
}

function spent(costUsd: number | null, tokens: number | null): string {
  const cost = costUsd === null ? 'no cost declared' : dollars(costUsd)
  return tokens === null ? cost : `${cost}, ${counted(tokens, 'token')}`
}

function timeOf({ agentMs, durationMs }: ExperimentResult): string {
  const whole = `${duration(durationMs)} on the clock`
  if (agentMs === null) return whole
  return `${whole}, ${duration(agentMs.total)} of agents (median ${duration(agentMs.median)}, p95 ${duration(agentMs.p95)})`
}
