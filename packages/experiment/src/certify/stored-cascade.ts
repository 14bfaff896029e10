import { JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { ExperimentResult } from '../result/records.js'
import type { RunResult } from '../result/trial-figures.js'
import { type CascadeCalibration, type CascadeMade, cascadeCalibration } from './cascade-calibration.js'
import { cascadeKey, isTry } from './tries.js'

/** Whether a run calibrated a cascade. */
export function isCascadeCalibration({ kind, metadata }: Pick<RunResult, 'kind' | 'metadata'>): boolean {
  return kind === 'judge' && madeOf(metadata) !== undefined
}

/**
 * What a stored calibration of a cascade says: the same as when it was made, but for the id of the certificate. Judges nothing.
 *
 * @param others calibrations of cascades: those of the same labels that began before this one count as tries. Default: none
 * @throws `option-invalid` for a run that is no calibration of a cascade
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
  const made = result.kind === 'judge' ? madeOf(result.metadata) : undefined
  if (made === undefined)
    throw new JuristError(
      'option-invalid',
      `cascadeCalibrationOf: the run ${result.id} is no calibration of a cascade. Give a run that calibrateCascade stored.`,
      { option: 'result' },
    )
  return await cascadeCalibration(result, made, async (labelsHash) => {
    let tries = 1
    for await (const other of others) if (other.startedAt < result.startedAt && isTry(other, labelsHash)) tries += 1
    return tries
  })
}

function madeOf(metadata: ExperimentResult['metadata']): CascadeMade | undefined {
  const made = metadata[cascadeKey]
  // A calibration of an earlier version kept no grid.
  return isPlainObject(made) && Array.isArray(made['tiers']) && Array.isArray(made['grid'])
    ? (made as unknown as CascadeMade)
    : undefined
}
