import type { KeptFinding } from '@jurist/experiment/internal/journal'
import { trialsOf, trialText } from '@jurist/experiment/internal/results'
import type { RunResult, Trial } from '@jurist/experiment/result'
import { groupBy } from '@jurist/kit/group-by'
import type { PeopleSay, RunReader } from './run-reader.js'

/** The labels of the trials of some runs, and what scans found in them. */
export interface TrialLabels {
  readonly of: ReadonlyMap<Trial, PeopleSay>
  /** Without findings that a person settled as fine. */
  readonly found: ReadonlyMap<Trial, readonly KeptFinding[]>
  /** Changes whenever a label or a finding does. */
  readonly revision: string
}

export async function trialLabels(runs: readonly RunResult[], reader: RunReader): Promise<TrialLabels> {
  const read = await Promise.all(
    runs.map(async (run) => ({ labels: await reader.labels(run), findings: (await reader.scan(run))?.findings ?? [] })),
  )
  const of = new Map<Trial, PeopleSay>()
  const found = new Map<Trial, readonly KeptFinding[]>()
  for (const [at, run] of runs.entries()) {
    const { labels = {}, findings = [] } = read[at] ?? {}
    if (Object.keys(labels).length === 0 && findings.length === 0) continue
    const byTrial = groupBy(
      findings.filter(({ settled }) => !settled),
      trialText,
    )
    for (const trial of trialsOf(run)) {
      const label = Object.hasOwn(labels, trialText(trial)) ? labels[trialText(trial)] : undefined
      if (label !== undefined) of.set(trial, label)
      const own = byTrial.get(trialText(trial))
      if (own !== undefined) found.set(trial, own)
    }
  }
  return { of, found, revision: of.size + found.size === 0 ? '' : JSON.stringify(read) }
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

/** The values of the filter for findings that a trial has: the rules, and whether one of them makes it suspect. */
export function scanFindings(trial: Trial, { found }: TrialLabels): readonly string[] {
  const findings = found.get(trial) ?? []
  const rules = [...new Set(findings.map(({ rule }) => rule))]
  return findings.some(({ level }) => level === 'suspect') ? ['suspect', ...rules] : rules
}

/** Names the rules by which trials are suspect; `''` if none is. */
export function suspectText(trials: readonly Trial[], { found }: TrialLabels): string {
  const suspects = trials.flatMap((trial) => (found.get(trial) ?? []).filter(({ level }) => level === 'suspect'))
  return [...new Set(suspects.map(({ rule }) => rule))].join(', ')
}
