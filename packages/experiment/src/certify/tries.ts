import { isPlainObject } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../result/records.js'
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
    if (isTry(await resultWithItems(run), labelsHash)) tries += 1
  }
  return tries
}

/** Whether a calibration looked at these labels. One whose judges decided nothing, as without their server, learnt nothing from them. */
export function isTry(run: ExperimentResult, labelsHash: string): boolean {
  const decides = ({ verdict }: ItemResult) =>
    Object.values(verdict?.individual ?? {}).some(({ status }) => status === 'pass' || status === 'fail')
  return run.items.some(decides) && labelledRun(run, [], 1).labelsHash === labelsHash
}
