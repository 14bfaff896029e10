import type { ExperimentResult } from '@jurist/experiment/result'

/** Changes whenever a run does: its status, the number of its trials, or the moment at which the last one ended. */
export function revisionOf({ status, items }: Pick<ExperimentResult, 'status' | 'items'>): string {
  let last = ''
  for (const { endedAt } of items) if (endedAt > last) last = endedAt
  return `${status}-${items.length}-${last}`
}
