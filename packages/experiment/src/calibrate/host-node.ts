import { gitState } from '../dataset/git-state.js'
import { openFrom } from '../dataset/open-dataset.js'
import { hostEnvironment } from '../run/check-run.js'
import { describeJury } from '../run/describe-jury.js'
import { fileStore } from '../store/file-store.js'
import type { CalibrationHost } from './host.js'

/**
 * The host of a calibration in Node: everything that needs files.
 *
 * @public
 */
export const host: CalibrationHost = {
  openDataset: openFrom,
  fileStore,
  code: () => gitState(process.cwd()),
  environment: hostEnvironment(),
  describeJury,
}
