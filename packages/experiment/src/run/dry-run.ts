import type { ExperimentResult } from '../result/records.js'
import { resultOf, summarize } from '../result/summarize.js'
import type { CheckedRun } from './begin-run.js'
import type { Tell } from './event-log.js'
import { manifestOf } from './manifest.js'

/** The result of a run that is only tried: everything was checked, no trial ran, nothing is stored. */
export async function dryResult(
  { prepared, selection }: Pick<CheckedRun, 'prepared' | 'selection'>,
  { id, session, tell }: { readonly id: string; readonly session: string | null; readonly tell: Tell },
): Promise<ExperimentResult> {
  const { itemOrder, ...manifest } = await manifestOf(prepared, selection, { id, session })
  const { experimentName, variant, planned, startedAt } = manifest
  tell({ type: 'experiment-start', experimentName, variant, trials: planned, resumed: 0 })
  tell({ type: 'experiment-end', status: 'stopped', summary: summarize({ items: [], planned }) })
  return resultOf({ ...manifest, status: 'stopped', stopReason: null, endedAt: startedAt, durationMs: 0, items: [] })
}
