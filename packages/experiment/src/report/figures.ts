import { counted, dollars, duration, grouped, namedInterval, percent } from '../result/amounts.js'
import { briefTrials } from '../result/brief-trials.js'
import { environmentText, failureText, undecidedText } from '../result/outcome-text.js'
import type { ExperimentResult } from '../result/records.js'
import { passAtKText, passHatKText } from '../result/repeated-text.js'
import { scoreMeansText } from '../result/score-text.js'
import { tokensOf } from '../result/usage.js'

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
    ...scoreFigures(result),
    { name: 'Agents', value: spent(result.costUsd, tokensOf(result.usage)) },
    { name: 'Judges', value: spent(result.judgeCostUsd, tokensOf(result.judgeUsage)) },
    ...(result.unpricedTrials === 0
      ? []
      : [{ name: 'Unpriced', value: `${counted(result.unpricedTrials, 'trial')} without a declared cost` }]),
    { name: 'Time', value: timeOf(result) },
  ]
}

/** Both pass rates, the second one where trials are in no rate, and how the others failed. */
function passFigures(result: ExperimentResult): readonly Figure[] {
  const { counts, passRate, passRateOfAll, passRateInterval } = result
  const trials = briefTrials(result)
  const failed = failureText(trials)
  const machine = environmentText(trials, result.id)
  const interval = passRateInterval === null ? '' : `; ${namedInterval(passRateInterval)}`
  const decided = `${grouped(counts.passes)} of ${grouped(counts.decided)}`
  const planned = `${grouped(counts.passes)} of ${grouped(counts.planned)}; ${undecidedText(trials, counts.planned)}`
  return [
    { name: 'Passed', value: `${percent(passRate)} of decided trials (${decided}${interval})` },
    ...(counts.decided === counts.planned
      ? []
      : [{ name: '', value: `${percent(passRateOfAll)} of planned trials (${planned})` }]),
    ...(failed === '' ? [] : [{ name: 'Failed', value: failed }]),
    ...(machine === '' ? [] : [{ name: 'Machine', value: machine }]),
  ]
}

function repeatedFigures(result: ExperimentResult): readonly Figure[] {
  const { passAtK, flakyItems } = result
  if (briefTrials(result).every(({ repetition }) => repetition === 1)) return []
  return [
    { name: 'pass@k', value: passAtKText(passAtK) },
    { name: 'pass^k', value: passHatKText(passAtK) },
    ...(flakyItems.length === 0 ? [] : [{ name: 'Flaky', value: named(flakyItems) }]),
  ]
}

/** Means with their standard errors, of scores that are more than passes and fails. */
function scoreFigures({ scores }: ExperimentResult): readonly Figure[] {
  const text = scoreMeansText(scores)
  return text === '' ? [] : [{ name: 'Scores', value: text }]
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
