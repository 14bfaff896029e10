import { isPlainObject, optionInvalid } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { type RunResult, resultWithItems } from '../result/trial-figures.js'
import type { ResultStore } from '../store/store.js'
import { type CascadeCalibration, type CascadeMade, cascadeCalibration, labelledRun } from './cascade-calibration.js'

export function isCascadeCalibration({ kind, metadata }: Pick<RunResult, 'kind' | 'metadata'>): boolean {
  return kind === 'judge' && cascadeMetadata(metadata) !== undefined
}

/**
 * Derives the calibration of a cascade from its stored run. It equals the original result except for the id of the
 * certificate. Judges nothing.
 *
 * @param others calibrations of cascades: those of the same labels that began before this one count as tries. Default: none
 * @throws `option-invalid` for a run that is not a calibration of a cascade
 *
 * @example
 * import { cascadeCalibrationOf } from '@jurist/experiment/certify'
 * import { fileStore } from '@jurist/experiment/store'
 *
 * await using store = fileStore('results')
 * const result = await store.load('20261121T091500123Z-4kq7rm')
 * if (result !== undefined && 'items' in result) console.log((await cascadeCalibrationOf(result)).why)
 */
export async function cascadeCalibrationOf(
  result: ExperimentResult,
  others: AsyncIterable<ExperimentResult> | Iterable<ExperimentResult> = [],
): Promise<CascadeCalibration> {
  const made = result.kind === 'judge' ? cascadeMetadata(result.metadata) : undefined
  if (made === undefined)
    optionInvalid(
      'result',
      `cascadeCalibrationOf: the run ${result.id} is not the calibration of a cascade. Give a run that calibrateCascade stored.`,
    )
  return await cascadeCalibration(result, made, async (labelsHash) => {
    let tries = 1
    for await (const other of others) if (other.startedAt < result.startedAt && isTry(other, labelsHash)) tries += 1
    return tries
  })
}

function cascadeMetadata(metadata: ExperimentResult['metadata']): CascadeMade | undefined {
  const made = metadata[cascadeKey]
  // A calibration of an earlier version kept no grid.
  return isPlainObject(made) && Array.isArray(made['tiers']) && Array.isArray(made['grid'])
    ? (made as unknown as CascadeMade)
    : undefined
}

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
function isTry(run: ExperimentResult, labelsHash: string): boolean {
  const decides = ({ verdict }: ItemResult) =>
    Object.values(verdict?.individual ?? {}).some(({ status }) => status === 'pass' || status === 'fail')
  return run.items.some(decides) && labelledRun(run, [], 1).labelsHash === labelsHash
}
