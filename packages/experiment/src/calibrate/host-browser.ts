import { optionInvalid } from '@jurist/core/internal'
import type { CalibrationHost } from './host.js'

/**
 * The host of a calibration without files: a browser, or a worker.
 *
 * @public
 */
export const host: CalibrationHost = {
  async openDataset() {
    return refuse('items', 'a dataset or an array of items')
  },
  fileStore: () => refuse('store', 'a store'),
  code: async () => ({ gitCommit: null, dirty: false, dirtyFiles: [] }),
  environment: { node: '', platform: 'unknown', arch: 'unknown', jurist: '', ci: false },
  describeJury: ({ name }) => ({ name, fingerprint: '', judges: [], tiers: null }),
}

function refuse(name: string, instead: string): never {
  optionInvalid(name, `calibrate: "${name}" is a path, and there are no files here. Give ${instead}.`)
}
