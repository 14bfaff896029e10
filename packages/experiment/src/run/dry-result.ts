import { overviewOf, summarize, trialsToRun } from '../result/summarize.js'
import type { RunOverview } from '../result/trial-figures.js'
import type { Tell } from './event-log.js'
import { manifestOf, type RunIdentity } from './manifest.js'
import type { Prepared, Selection } from './prepare.js'
import { type ShardOptions, shardOf } from './shard.js'

/** The result of a dry run: everything was checked, no trial ran, nothing is stored. */
export async function dryResult(
  { prepared, selection }: { readonly prepared: Prepared; readonly selection: Selection },
  { tell, shard, ...run }: RunIdentity & { readonly tell: Tell; readonly shard: ShardOptions | undefined },
): Promise<RunOverview> {
  const { itemOrder, ...whole } = await manifestOf(prepared, selection, run)
  const part = shard === undefined ? {} : { shard: shardOf({ ...whole, itemOrder }, shard).record }
  const manifest = { ...whole, ...part }
  const { experimentName, kind, variant, startedAt } = manifest
  const planned = trialsToRun(manifest)
  tell({ type: 'experiment-start', experimentName, kind, variant, trials: planned, resumed: 0 })
  tell({ type: 'experiment-end', status: 'stopped', summary: summarize({ items: [], planned }) })
  const ended = { status: 'stopped', stopReason: null, endedAt: startedAt, durationMs: 0 } as const
  return overviewOf({ ...manifest, ...ended, trials: [], readItems: async () => [] })
}
