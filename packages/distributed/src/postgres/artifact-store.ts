import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'

/** The key of an artifact: a file or directory of a run, such as `workspaces/add-readme-1`. */
export interface ArtifactKey {
  readonly run: string
  /** Relative to the directory that the run would have in a store of files. */
  readonly path: string
}

/** The address of an artifact. Only the artifact store that returned it can read it. */
export type ArtifactRef = string

/** The place where a `postgresStore` keeps the files of runs, packed: workspaces and journals. */
export interface ArtifactStore {
  /**
   * Stores bytes; resolves when they are durable. The same key again creates another artifact.
   *
   * @throws `store-failed`
   */
  put(key: ArtifactKey, from: AsyncIterable<Uint8Array>): Promise<ArtifactRef>
  /** @throws `store-failed`, also while it is read */
  get(ref: ArtifactRef): Promise<AsyncIterable<Uint8Array>>
  /** Removes some artifacts of a run. Default: all of them. */
  remove(run: string, refs?: readonly ArtifactRef[]): Promise<void>
}

/**
 * Keeps artifacts as files in a directory that every machine that needs them must see. The database then contains
 * records only.
 *
 * @example
 * import { directoryArtifacts, postgresStore } from '@jurist/distributed/postgres'
 *
 * const artifacts = directoryArtifacts('/mnt/results')
 * export const store = postgresStore('postgres://jurist@localhost/results', { artifacts })
 */
export function directoryArtifacts(directory: string): ArtifactStore {
  const root = resolve(directory)
  const placeOf = (ref: ArtifactRef) =>
    /^[\w-]+\/[\w-]+$/.test(ref) ? join(root, ref) : failed(root, `${JSON.stringify(ref)} names no artifact`)

  return {
    async put({ run }, from) {
      const ref = `${run}/${randomUUID()}`
      const place = placeOf(ref)
      try {
        await mkdir(join(root, run), { recursive: true })
        await pipeline(from, createWriteStream(`${place}.new`, { flush: true }))
        await rename(`${place}.new`, place)
        return ref
      } catch (thrown) {
        await rm(`${place}.new`, { force: true })
        return failed(place, `cannot be written: ${failureOf(thrown).message}`)
      }
    },
    async get(ref) {
      const place = placeOf(ref)
      try {
        const handle = await open(place)
        return createReadStream(place, { fd: handle })
      } catch (thrown) {
        return failed(place, `cannot be read: ${failureOf(thrown).message}`)
      }
    },
    async remove(run, refs) {
      const places = refs === undefined ? [join(root, run)] : refs.map(placeOf)
      for (const place of places) await rm(place, { recursive: true, force: true })
    },
  }
}

function failed(path: string, problem: string): never {
  throw new JuristError('store-failed', `The artifact ${path} ${problem}. Mount its directory, or make room.`, { path })
}
