import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import type { StoredShard } from '@jurist/distributed/internal'
import { isRunId } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { fileStore } from '@jurist/experiment/store'
import { commandLine } from '@jurist/kit/command-line'
import { openBundle } from '../../bundle/read-bundle.js'

export interface Looking {
  readonly cwd: string
  readonly note: (line: string) => void
}

/**
 * Returns the shards in results directories, directories of runs, and bundles. Other runs are left out.
 *
 * @throws `usage-invalid` with every place without a shard, and for a damaged bundle
 */
export async function shardsIn(places: readonly string[], looking: Looking): Promise<readonly StoredShard[]> {
  const found: StoredShard[] = []
  const problems: string[] = []
  // Parsing some shards overlaps with reading others.
  for (let start = 0; start < places.length; start += atOnce)
    for (const place of await Promise.allSettled(
      places.slice(start, start + atOnce).map((place) => shardsAt(place, looking)),
    ))
      if (place.status === 'fulfilled') found.push(...place.value)
      else if (JuristError.is(place.reason, 'usage-invalid')) problems.push(place.reason.message)
      else throw place.reason
  if (problems.length > 0) throw usageInvalid('place', problems.join('\n'))
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
  throw usageInvalid(
    'place',
    `${place} has no shard. Make one: ${commandLine('run', '--shard', '1/10', '--results', place)}`,
  )
}

/** Returns the results directory at a place. `only` is the run whose directory the place is. */
async function directoryOf(
  place: string,
  path: string,
): Promise<{ readonly directory: string; readonly only?: string }> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() === true && /\.(tgz|tar\.gz)$/.test(path))
    return { directory: (await openBundle(path)).directory }
  if (found?.isDirectory() !== true) {
    const wanted = 'a results directory, or a bundle that ends in .tgz or .tar.gz'
    if (place.includes('://'))
      throw usageInvalid(
        'place',
        `Results in a database are copied first: ${commandLine('store', 'copy', 'postgres://HOST/NAME', 'DIR')}`,
      )
    throw usageInvalid(
      'place',
      found === undefined ? `${place} does not exist. Name ${wanted}.` : `${place} is not ${wanted}.`,
    )
  }
  const name = basename(path)
  const isRun = isRunId(name) && (await readdir(path)).includes('run.json')
  return isRun ? { directory: dirname(dirname(path)), only: name } : { directory: path }
}
