import { trialsOf, trialText } from '@jurist/experiment/internal/results'
import type { RunResult, Trial } from '@jurist/experiment/result'
import type { PeopleSay, RunReader } from './run-reader.js'

/** The labels of the trials of some runs. */
export interface TrialLabels {
  readonly of: ReadonlyMap<Trial, PeopleSay>
  /** Changes whenever a label does. */
  readonly revision: string
}

export async function trialLabels(runs: readonly RunResult[], reader: RunReader): Promise<TrialLabels> {
  const found = await Promise.all(runs.map((run) => reader.labels(run)))
  const of = new Map<Trial, PeopleSay>()
  for (const [at, run] of runs.entries()) {
    const labels = found[at] ?? {}
    if (Object.keys(labels).length === 0) continue
    for (const trial of trialsOf(run)) {
      const label = Object.hasOwn(labels, trialText(trial)) ? labels[trialText(trial)] : undefined
      if (label !== undefined) of.set(trial, label)
    }
  }
  return { of, revision: of.size === 0 ? '' : JSON.stringify(found) }
}

/** Whether people and the jury decided a trial differently. */
export function differsFromLabel(trial: Trial, label: PeopleSay | undefined): boolean {
  return (label === 'pass' || label === 'fail') && trial.passed !== null && label !== (trial.passed ? 'pass' : 'fail')
}

/** The values of the filter for labels that a trial has. */
export function labelFindings(trial: Trial, { of }: TrialLabels): readonly string[] {
  const label = of.get(trial)
  if (label === undefined) return []
  return differsFromLabel(trial, label) ? [label, 'differs'] : [label]
}

/** Says what people said of the trials of a row: `pass`, or `2 pass, 1 fail`; `''` without a label. */
export function labelText(trials: readonly Trial[], { of }: TrialLabels): string {
  const said = trials.flatMap((trial) => of.get(trial) ?? [])
  const words = [...new Set(said)]
  if (said.length === 1) return words[0] ?? ''
  return words.map((word) => `${said.filter((one) => one === word).length} ${word}`).join(', ')
}
