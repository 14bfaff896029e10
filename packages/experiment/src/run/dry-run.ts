import { overviewOf, summarize } from '../result/summarize.js'
import type { RunOverview } from '../result/trial-figures.js'
import type { CheckedRun } from './begin-run.js'
import type { Tell } from './event-log.js'
import { manifestOf } from './manifest.js'

/** The result of a run that is only tried: everything was checked, no trial ran, nothing is stored. */
export async function dryResult(
  { prepared, selection }: Pick<CheckedRun, 'prepared' | 'selection'>,
  { id, session, tell }: { readonly id: string; readonly session: string | null; readonly tell: Tell },
): Promise<RunOverview> {
  const { itemOrder, ...manifest } = await manifestOf(prepared, selection, { id, session })
  const { experimentName, variant, planned, startedAt } = manifest
  tell({ type: 'experiment-start', experimentName, variant, trials: planned, resumed: 0 })
  tell({ type: 'experiment-end', status: 'stopped', summary: summarize({ items: [], planned }) })
  const ended = { status: 'stopped', stopReason: null, endedAt: startedAt, durationMs: 0 } as const
  return overviewOf({ ...manifest, ...ended, trials: [], readItems: async () => [] })
}
