import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, parse, relative, sep } from 'node:path'
import type { ExperimentResult } from '../result/records.js'

/**
 * The directory of the dataset that a run was made from, so that what its items began with can be read again. A record may
 * come from anyone: only a directory below one of `within` counts, links resolved, and neither a whole disk nor the home of
 * the user is a project.
 *
 * @param within the directories of the project, such as the working directory and that of the config
 * @returns `undefined` when the run has no dataset on disk, or it is gone, or it is elsewhere
 */
export async function datasetDirectory(
  { configuration }: Pick<ExperimentResult, 'configuration'>,
  within: readonly string[],
): Promise<string | undefined> {
  const recorded = Object.hasOwn(configuration, 'dataset') ? configuration['dataset'] : null
  if (typeof recorded !== 'string' || !isAbsolute(recorded) || recorded.includes('\0')) return undefined
  const path = await realpath(recorded).catch(() => undefined)
  if (path === undefined) return undefined
  const home = await realpath(homedir()).catch(() => undefined)
  for (const one of within) {
    const root = await realpath(one).catch(() => undefined)
    if (root === undefined || root === home || root === parse(root).root) continue
    if (isBelow(root, path)) return recorded
  }
  return undefined
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}
