import { resolve } from 'node:path'
import type { ExperimentResult } from '@jurist/experiment/result'
import { datasetDirectory } from '@jurist/experiment/store'
import { existingDirectory } from '../existing-directory.js'
import type { Host } from '../host.js'

/**
 * The directories of the datasets that the config names. Records say where the states before and the references of their
 * items are, but records may come from anybody; only what the user's own config names is read. An experiment that is a
 * function is not called: what it prepares is for running, and its runs record where their dataset is.
 */
export async function datasetDirectories(host: Host): Promise<readonly string[]> {
  const loaded = await host.configIfAny()
  return Object.values(loaded?.config.experiments ?? {}).flatMap((experiment) => {
    if (loaded === undefined || typeof experiment === 'function') return []
    const { dataset } = experiment
    if (typeof dataset === 'string') return [resolve(loaded.directory, dataset)]
    return 'directory' in dataset && dataset.directory !== null ? [dataset.directory] : []
  })
}

/**
 * The directories that `--source` names.
 *
 * @throws `usage-invalid` when one is missing, or a file
 */
export function namedSources(host: Host, given: unknown): Promise<readonly string[]> {
  const names = Array.isArray(given) ? given.map(String) : []
  return Promise.all(names.map((name) => existingDirectory(name, '--source', host.cwd)))
}

/** The directory of a run's dataset, when it lies in the project: the working directory, or that of the config. */
export async function ownDataset(host: Host, run: ExperimentResult): Promise<readonly string[]> {
  const loaded = await host.configIfAny()
  const found = await datasetDirectory(run, [host.cwd, ...(loaded === undefined ? [] : [loaded.directory])])
  return found === undefined ? [] : [found]
}
