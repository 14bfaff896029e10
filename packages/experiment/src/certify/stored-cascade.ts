import { isPlainObject } from '@jurist/core/internal'
import type { ExperimentResult } from '../result/records.js'
import type { RunResult } from '../result/trial-figures.js'
import { type CascadeCalibration, type CascadeMade, cascadeCalibration } from './cascade-calibration.js'
import { labelledRun } from './judged-items.js'
import { cascadeKey } from './tries.js'

/** Whether a run calibrated a cascade. */
export function isCascadeCalibration({ kind, metadata }: Pick<RunResult, 'kind' | 'metadata'>): boolean {
  return kind === 'judge' && madeOf(metadata) !== undefined
}

/**
 * What a stored calibration of a cascade said: the same as when it was made, but for the id of the certificate.
 *
 * @param others the calibrations of cascades in the same store; those that were made before it, of the same labels, count as tries
 * @returns `undefined` for another run
 */
export async function storedCascade(
  result: ExperimentResult,
  others: () => AsyncIterable<ExperimentResult>,
): Promise<CascadeCalibration | undefined> {
  const made = result.kind === 'judge' ? madeOf(result.metadata) : undefined
  if (made === undefined) return undefined
  return await cascadeCalibration(result, made, async (labelsHash) => {
    let tries = 1
    for await (const other of others())
      if (other.startedAt < result.startedAt && labelledRun(other, [], 1).labelsHash === labelsHash) tries += 1
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
