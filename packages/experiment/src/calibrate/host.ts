import { JuristError } from '@jurist/core'
import type { NodeSide } from './node-side.js'

/** What a calibration has of the place where it runs. */
export type CalibrationHost = NodeSide

/** The name stands alone so that bundlers for browsers, where it is never asked for, do not follow it. */
const nodeSidePath: string = './node-side.js'

interface Runtime {
  readonly process?: { readonly versions?: { readonly node?: string } }
}

/** The place where this runs: Node with its files, or somewhere else without. */
export async function calibrationHost(): Promise<CalibrationHost> {
  if ((globalThis as Runtime).process?.versions?.node === undefined) return elsewhere
  const { nodeSide } = (await import(/* @vite-ignore */ nodeSidePath)) as typeof import('./node-side.js')
  return nodeSide
}

const elsewhere: CalibrationHost = {
  async openDataset() {
    return refuse('items', 'a dataset or a list of items')
  },
  fileStore: () => refuse('store', 'a store'),
  code: async () => ({ gitCommit: null, dirty: false, dirtyFiles: [] }),
  environment: { node: '', platform: 'unknown', arch: 'unknown', jurist: '', ci: false },
  describeJury: ({ name }) => ({ name, fingerprint: '', judges: [], tiers: null }),
}

function refuse(name: string, instead: string): never {
  throw new JuristError(
    'option-invalid',
    `calibrate: "${name}" is a path, and there are no files here. Give ${instead}.`,
    {
      option: name,
    },
  )
}
