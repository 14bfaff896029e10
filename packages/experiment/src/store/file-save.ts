import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ItemResult, RunRecord } from '../result/records.js'
import { diskFailure, syncDirectory, systemCode, temporaryPath, type Writing, writeNewFile } from './disk.js'
import type { LinePlace } from './json-lines.js'
import { type RunPaths, settle } from './run-directory.js'
import { headOf, type StoredSum } from './run-head.js'
import { runHeadToJson } from './stored-record.js'
import { growingIndex } from './trial-index-writer.js'

/**
 * Makes the directory of a run out of a whole record, at one moment.
 *
 * @returns `false` when the directory is there already, and nothing was done
 */
export async function saveNew(run: RunRecord, paths: RunPaths, writing: Writing): Promise<boolean> {
  return await staged(run, paths, writing, async (stage) => {
    try {
      await rename(stage, paths.directory)
    } catch (thrown) {
      if (['EEXIST', 'ENOTEMPTY', 'EPERM'].includes(systemCode(thrown) ?? '')) return false
      throw thrown
    }
    if (writing.sync) await syncDirectory(join(paths.directory, '..'))
    return true
  })
}

/** Replaces the record of a run, at one moment; what else its directory keeps stays. The caller holds the lock. */
export async function saveOver(run: RunRecord, paths: RunPaths, writing: Writing): Promise<void> {
  await settle(paths, writing.sync)
  await staged(run, paths, writing, async (stage) => {
    await rename(stage, paths.next)
    if (writing.sync) await syncDirectory(paths.directory)
  })
  await settle(paths, writing.sync)
}

/** Writes the record to a temporary directory, and lets `publish` move that. */
async function staged<Value>(
  run: RunRecord,
  paths: RunPaths,
  { sync, temporary }: Writing,
  publish: (stage: string) => Promise<Value>,
): Promise<Value> {
  const stage = temporaryPath(temporary, 'save')
  try {
    await mkdir(stage)
    const stored = await writeItems(join(stage, 'items.jsonl'), run.items, sync)
    const { places, ...sum } = stored
    const indexed = await growingIndex(
      { items: join(stage, 'items.jsonl'), index: join(stage, 'trials.jsonl') },
      { items: run.items, places },
    ).complete()
    const head = headOf(run)
    await writeNewFile(
      join(stage, 'run.json'),
      runHeadToJson(run.status === 'running' ? head : { ...head, stored: { ...sum, ...indexed } }),
      sync,
    )
    if (sync) await syncDirectory(stage)
    return await publish(stage)
  } catch (thrown) {
    throw diskFailure('write', paths.directory, thrown)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

const linesAtOnce = 1_000

/** A text of all lines could be longer than a string can be. */
async function writeItems(
  path: string,
  items: readonly ItemResult[],
  sync: boolean,
): Promise<StoredSum & { readonly places: readonly LinePlace[] }> {
  const handle = await open(path, 'wx')
  const hash = createHash('sha256')
  const places: LinePlace[] = []
  let bytes = 0
  try {
    for (let start = 0; start < items.length; start += linesAtOnce) {
      const lines = items.slice(start, start + linesAtOnce).map((item) => {
        const line = JSON.stringify(item)
        const length = Buffer.byteLength(line)
        places.push({ offset: bytes, length })
        bytes += length + 1
        return `${line}\n`
      })
      const text = Buffer.from(lines.join(''))
      hash.update(text)
      await handle.appendFile(text)
    }
    if (sync) await handle.sync()
    return { lines: items.length, bytes, sha256: hash.digest('hex'), places }
  } finally {
    await handle.close()
  }
}
