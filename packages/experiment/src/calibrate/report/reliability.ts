import type { Verdict } from '@jurist/core'
import type { ConfidenceBin, Reliability } from '../calibration.js'
import type { CalibratedTrial } from './scored-trial.js'

const parts = 10

interface Sure {
  readonly confidence: number
  readonly match: boolean
}

/**
 * Whether a candidate is right as often as it is sure: scored trials by confidence (DeGroot and Fienberg 1983). Judges say
 * it in `metadata.confidence`; of a jury it is the share of the votes that say what the jury says. `null`: nobody says.
 */
export function reliabilityOf(trials: readonly CalibratedTrial[], isJury: boolean): Reliability | null {
  const declared = suresOf(trials, ({ detail }) => detail.judgment.metadata['confidence'])
  if (declared.length > 0) return summedUp('declared', declared)
  const voted = isJury ? suresOf(trials, ({ item }) => (item.verdict === null ? null : shareOfVotes(item.verdict))) : []
  return voted.length > 0 ? summedUp('votes', voted) : null
}

function suresOf(
  trials: readonly CalibratedTrial[],
  confidenceOf: (trial: CalibratedTrial) => unknown,
): readonly Sure[] {
  return trials.flatMap((trial) => {
    const confidence = trial.scored === null ? null : confidenceOf(trial)
    const isRate = typeof confidence === 'number' && confidence >= 0 && confidence <= 1
    return trial.scored !== null && isRate ? { confidence, match: trial.scored.match } : []
  })
}

function shareOfVotes({ aggregated, individual, weights }: Verdict): number | null {
  let [same, all] = [0, 0]
  for (const [name, { status }] of Object.entries(individual)) {
    if (status !== 'pass' && status !== 'fail') continue
    const weight = weights[name] ?? 0
    all += weight
    if (status === aggregated.status) same += weight
  }
  return all === 0 ? null : same / all
}

function summedUp(source: Reliability['source'], sures: readonly Sure[]): Reliability {
  const groups = Array.from({ length: parts }, (): Sure[] => [])
  for (const sure of sures) groups[Math.min(parts - 1, Math.floor(sure.confidence * parts))]?.push(sure)
  const bins = groups.flatMap((group, index) => (group.length === 0 ? [] : binOf(group, index)))
  const error = bins.reduce((sum, bin) => sum + bin.trials * Math.abs(bin.meanConfidence - bin.agreement), 0)
  return { source, trials: sures.length, bins, calibrationError: error / sures.length }
}

function binOf(group: readonly Sure[], index: number): ConfidenceBin {
  return {
    low: index / parts,
    high: (index + 1) / parts,
    trials: group.length,
    meanConfidence: group.reduce((sum, { confidence }) => sum + confidence, 0) / group.length,
    agreement: group.filter(({ match }) => match).length / group.length,
  }
}
