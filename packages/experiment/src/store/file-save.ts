import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { figuresOf } from '../result/item-figures.js'
import type { ItemResult, RunRecord } from '../result/records.js'
import type { TrialFigures } from '../result/trial-figures.js'
import { diskFailure, syncDirectory, systemCode, temporaryPath, type Writing, writeNewFile } from './disk.js'
import type { LinePlace } from './json-lines.js'
import { type RunPaths, settle } from './run-directory.js'
import { headOf, type RunHead, type StoredSum } from './run-head.js'
import { runHeadToJson } from './stored-record.js'
import { growingIndex } from './trial-index-writer.js'

/** A whole run to save. */
export interface SavedRun {
  readonly head: RunHead
  readonly trials: readonly TrialFigures[]
  /** The lines of `items.jsonl` as bytes, one for each of the trials, in parts; called once for each attempt. */
  readonly lines: () => Iterable<readonly Buffer[]> | AsyncIterable<readonly Buffer[]>
  /** Puts further files into the directory of the run before it is there for readers. */
  readonly keep?: (directory: string) => Promise<void>
}

/** A record as a run to save. */
export function savedRecord(run: RunRecord): SavedRun {
  return { head: headOf(run), trials: run.items.map(figuresOf), lines: () => linesIn(run.items) }
}

const linesAtOnce = 1_000

/** All lines could be longer than a buffer can be. */
function* linesIn(items: readonly ItemResult[]): Generator<readonly Buffer[]> {
  for (let start = 0; start < items.length; start += linesAtOnce)
    yield items.slice(start, start + linesAtOnce).map((item) => Buffer.from(JSON.stringify(item)))
}

/**
 * Makes the directory of a run out of a whole record, at one moment.
 *
 * @returns `false` when the directory is there already, and nothing was done
 */
export async function saveNew(run: SavedRun, paths: RunPaths, writing: Writing): Promise<boolean> {
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
export async function saveOver(run: SavedRun, paths: RunPaths, writing: Writing): Promise<void> {
  await settle(paths, writing.sync)
  await staged(run, paths, writing, async (stage) => {
    await rename(stage, paths.next)
    if (writing.sync) await syncDirectory(paths.directory)
  })
  await settle(paths, writing.sync)
}

/** Writes the record to a temporary directory, and lets `publish` move that. */
async function staged<Value>(
  { head, trials, lines, keep }: SavedRun,
  paths: RunPaths,
  { sync, temporary }: Writing,
  publish: (stage: string) => Promise<Value>,
): Promise<Value> {
  const stage = temporaryPath(temporary, 'save')
  try {
    await mkdir(stage)
    const stored = await writeItems(join(stage, 'items.jsonl'), lines(), sync)
    const { places, ...sum } = stored
    const indexed = await growingIndex(
      { items: join(stage, 'items.jsonl'), index: join(stage, 'trials.jsonl') },
      { trials, places },
    ).complete()
    await keep?.(stage)
    await writeNewFile(
      join(stage, 'run.json'),
      runHeadToJson(head.status === 'running' ? head : { ...head, stored: { ...sum, ...indexed } }),
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

async function writeItems(
  path: string,
  parts: ReturnType<SavedRun['lines']>,
  sync: boolean,
): Promise<StoredSum & { readonly places: readonly LinePlace[] }> {
  const handle = await open(path, 'wx')
  const hash = createHash('sha256')
  const places: LinePlace[] = []
  let bytes = 0
  try {
    for await (const lines of parts) {
      const begin = bytes
      for (const { length } of lines) {
        places.push({ offset: bytes, length })
        bytes += length + 1
      }
      const text = Buffer.alloc(bytes - begin, '\n')
      for (const [index, line] of lines.entries())
        line.copy(text, (places[places.length - lines.length + index]?.offset ?? 0) - begin)
      hash.update(text)
      await handle.appendFile(text)
    }
    if (sync) await handle.sync()
    return { lines: places.length, bytes, sha256: hash.digest('hex'), places }
  } finally {
    await handle.close()
  }
}
