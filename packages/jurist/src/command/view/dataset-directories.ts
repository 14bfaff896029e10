import { resolve } from 'node:path'
import type { Host } from '../host.js'

/**
 * The directories of the datasets that the config names. Records say where the states before and the references of their
 * items are, but records may come from anybody; only what the user's own config names is read.
 */
export async function datasetDirectories(host: Host): Promise<readonly string[]> {
  const loaded = await host.configIfAny()
  if (loaded === undefined) return []
  const datasets = await Promise.all(
    Object.values(loaded.config.experiments ?? {}).map(async (experiment) => {
      try {
        const { dataset } = typeof experiment === 'function' ? await experiment() : experiment
        return typeof dataset === 'string' ? [resolve(loaded.directory, dataset)] : []
      } catch {
        // What an experiment needs to run need not be there to look at what has run.
        return []
      }
    }),
  )
  return datasets.flat()
}
