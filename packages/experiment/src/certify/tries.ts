import { isPlainObject } from '@jurist/core/internal'
import { resultWithItems } from '../result/trial-figures.js'
import type { ResultStore } from '../store/store.js'
import { labelledRun } from './judged-items.js'

/** Where a run keeps that it calibrates a cascade: in its metadata. */
export const cascadeKey = 'cascade'

/**
 * How often the labels were used to look for a certificate: the stored calibrations of cascades with exactly these items and
 * labels. Who tunes a prompt until it is certified has tested more often than once.
 */
export async function triesWith(store: ResultStore, labelsHash: string): Promise<number> {
  let tries = 0
  for await (const { id } of store.list({ kind: 'judge' })) {
    const run = await store.load(id)
    if (run === undefined || !isPlainObject(run.metadata[cascadeKey])) continue
    if (labelledRun(await resultWithItems(run), [], 1).labelsHash === labelsHash) tries += 1
  }
  return tries
}
