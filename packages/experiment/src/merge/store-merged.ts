import type { ItemResult } from '../result/records.js'
import { itemsOf, type RunOverview } from '../result/trial-figures.js'
import type { ResultStore, RunEnd } from '../store/store.js'
import type { MergePlan } from './merge-plan.js'
import type { ShardRun } from './shard-problems.js'

/** How a merged run is stored. */
export interface StoredMerge {
  /** Changes a trial as its place in the store asks for. */
  readonly moved: (item: ItemResult, shard: ShardRun) => ItemResult
  /** Called with the directory of the run before its trials are stored; `null`: the store keeps no files. */
  readonly opened: (directory: string | null) => Promise<void>
}

/** How many trials are in memory at a time. */
const atOnce = 4_000

/**
 * Stores the run that shards make. Its trials are read and written some thousands at a time, in result order, so that the
 * bytes of a file depend on the shards only. A merge that fails leaves no run.
 */
export async function storeMerged(
  { record, shards, order }: MergePlan,
  store: ResultStore,
  { moved, opened }: StoredMerge,
): Promise<RunOverview> {
  const { status, stopReason, endedAt, durationMs, ...manifest } = record
  const writer = await store.open(manifest)
  try {
    await opened(writer.directory)
    for (let start = 0; start < order.length; start += atOnce) {
      const items = await itemsInOrder(shards, order.slice(start, start + atOnce))
      await Promise.all(items.map(({ item, shard }) => writer.append(moved(item, shard))))
    }
    const end = { status, stopReason, durationMs, ...(endedAt === null ? {} : { endedAt }) }
    return await writer.finish(end as RunEnd)
  } catch (thrown) {
    await writer.release().catch(() => undefined)
    await store.remove(writer.runId).catch(() => undefined)
    throw thrown
  }
}

/** Reads trials of several shards, those of each shard together. */
async function itemsInOrder(
  shards: readonly ShardRun[],
  order: MergePlan['order'],
): Promise<readonly { readonly item: ItemResult; readonly shard: ShardRun }[]> {
  const read = new Map<number, Iterator<ItemResult>>()
  for (const [index, shard] of shards.entries()) {
    const trials = order.flatMap((one) => (one.shard === index ? [one.trial] : []))
    if (trials.length > 0) read.set(index, (await itemsOf(shard, trials))[Symbol.iterator]())
  }
  return order.flatMap(({ shard: index }) => {
    const shard = shards[index]
    const item = read.get(index)?.next()
    return shard === undefined || item?.done !== false ? [] : [{ item: item.value, shard }]
  })
}
