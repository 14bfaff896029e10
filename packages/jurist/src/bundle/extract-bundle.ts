import { createWriteStream } from 'node:fs'
import { lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { usageInvalid } from '../config/problems.js'
import { type BundleManifest, directoryOf } from './manifest.js'
import { readBundle } from './read-bundle.js'

/**
 * Brings the runs of a bundle into a results directory. Every sum is checked before the first byte is written, the files
 * are written beside their place, and each run appears whole.
 *
 * @throws `usage-invalid` when the bundle is not what it says, or a run is there already
 */
export async function extractBundle(path: string, results: string): Promise<BundleManifest> {
  const manifest = await readBundle(path)
  for (const run of manifest.runs) await refuseExisting(join(results, directoryOf(run)), run.id)
  await mkdir(results, { recursive: true })
  const unfinished = await mkdtemp(join(results, '.bundle-'))
  try {
    await readBundle(path, async (file, chunks) => {
      const target = join(unfinished, file.path)
      await mkdir(dirname(target), { recursive: true })
      await pipeline(chunks, createWriteStream(target, { flags: 'wx' }))
    })
    for (const run of manifest.runs) {
      const place = join(results, directoryOf(run))
      await mkdir(dirname(place), { recursive: true })
      await refuseExisting(place, run.id)
      await rename(join(unfinished, directoryOf(run)), place)
    }
    return manifest
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function refuseExisting(place: string, id: string): Promise<void> {
  const found = await lstat(place).catch(() => undefined)
  if (found !== undefined)
    throw usageInvalid('--extract', `Run ${id} is at ${place} already. Extract into another directory: --to <dir>.`)
}
