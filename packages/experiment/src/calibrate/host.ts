import type { Jury } from '@jurist/core'
import type { Dataset, DatasetPath } from '../dataset/dataset.js'
import type { JuryDescription, RunRecord } from '../result/records.js'
import type { ResultStore } from '../store/store.js'

/** Functions of the platform that a calibration needs. */
export interface CalibrationHost {
  openDataset(place: DatasetPath): Promise<Dataset>
  fileStore(directory: string): ResultStore
  code(): Promise<RunRecord['code']>
  readonly environment: RunRecord['environment']
  describeJury(jury: Jury): JuryDescription
}

/**
 * The platform where this runs: Node with files, or another one without. The package's `imports` choose, so that bundlers
 * for browsers only include code that works there.
 */
export async function calibrationHost(): Promise<CalibrationHost> {
  const { host } = await import('#calibration-host')
  return host
}
