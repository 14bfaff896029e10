import type { Jury } from '@jurist/core'
import type { Dataset } from '../dataset/dataset.js'
import { gitState } from '../dataset/git-state.js'
import { openDataset } from '../dataset/open-dataset.js'
import type { JuryDescription, RunRecord } from '../result/records.js'
import { describeJury } from '../run/describe-jury.js'
import { hostEnvironment } from '../run/host.js'
import { fileStore } from '../store/file-store.js'
import type { ResultStore } from '../store/store.js'

/** What a calibration can do where files can be reached, and not elsewhere. */
export interface NodeSide {
  openDataset(path: string): Promise<Dataset>
  fileStore(directory: string): ResultStore
  code(): Promise<RunRecord['code']>
  readonly environment: RunRecord['environment']
  describeJury(jury: Jury): JuryDescription
}

/**
 * Everything that needs Node, in one place that is loaded only there, by name.
 *
 * @public
 */
export const nodeSide: NodeSide = {
  openDataset,
  fileStore,
  code: () => gitState(process.cwd()),
  environment: hostEnvironment(),
  describeJury,
}
