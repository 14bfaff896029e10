import { briefTrials, type ExperimentResult, type ItemResult } from '@jurist/experiment/result'

/** Changes whenever a run does: its status, the number of its trials, or the moment at which it or its last trial ended. */
export function revisionOf(run: Pick<ExperimentResult, 'status' | 'items' | 'endedAt'>): string {
  return `${run.status}-${briefTrials(run).length}-${run.endedAt ?? lastEnd(run.items)}`
}

function lastEnd(items: readonly ItemResult[]): string {
  let last = ''
  for (const { endedAt } of items) if (endedAt > last) last = endedAt
  return last
}
