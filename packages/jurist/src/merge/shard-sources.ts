import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isRunId, type RunOverview } from '@jurist/experiment/internal/results'
import { fileStore } from '@jurist/experiment/store'
import { openBundle } from '../bundle/read-bundle.js'
import { usageInvalid } from '../config/problems.js'

/** A stored shard, and the results directory that it is in. */
export interface StoredShard {
  readonly run: RunOverview
  readonly directory: string
}

/** Where shards are looked for. */
export interface Looking {
  readonly cwd: string
  readonly note: (line: string) => void
}

/**
 * The shards in results directories, directories of runs, and bundles. Other runs are left out.
 *
 * @throws `usage-invalid` for a place without a shard, and for a damaged bundle
 */
export async function shardsIn(places: readonly string[], looking: Looking): Promise<readonly StoredShard[]> {
  const found: StoredShard[] = []
  // While some are read from the disk, others are parsed.
  for (let start = 0; start < places.length; start += atOnce)
    found.push(
      ...(await Promise.all(places.slice(start, start + atOnce).map((place) => shardsAt(place, looking)))).flat(),
    )
  return found
}

const atOnce = 4

async function shardsAt(place: string, { cwd, note }: Looking): Promise<readonly StoredShard[]> {
  const path = resolve(cwd, place)
  const { directory, only } = await directoryOf(place, path)
  const store = fileStore(directory, { onWarning: (message) => note(`warning: ${message}`) })
  const shards: StoredShard[] = []
  for await (const { id, shard } of store.list({ order: 'oldest' })) {
    if (shard === undefined || (only !== undefined && only !== id)) continue
    const run = await store.overview(id)
    if (run !== undefined) shards.push({ run, directory })
  }
  if (shards.length > 0) return shards
  throw usageInvalid('place', `${place} has no shard. Make one: jurist run --shard 1/10 --results ${place}`)
}

/** The results directory at a place; `only`: the run that the place is the directory of. */
async function directoryOf(
  place: string,
  path: string,
): Promise<{ readonly directory: string; readonly only?: string }> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() === true && /\.(tgz|tar\.gz)$/.test(path))
    return { directory: (await openBundle(path)).directory }
  if (found?.isDirectory() !== true) {
    const wanted = 'a results directory, or a bundle that ends in .tgz or .tar.gz'
    throw usageInvalid(
      'place',
      `${place} is not ${wanted}. Results in a database: jurist store copy postgres://… <dir>`,
    )
  }
  const name = basename(path)
  const isRun = isRunId(name) && (await readdir(path)).includes('run.json')
  return isRun ? { directory: dirname(dirname(path)), only: name } : { directory: path }
}

/** The directory of a run. */
export function runDirectory({ run: { experimentName, id }, directory }: StoredShard): string {
  return join(directory, experimentName, id)
}
