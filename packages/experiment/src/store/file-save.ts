import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
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
  /** The lines of `items.jsonl`, one for each of the trials, in parts; called once for each attempt. */
  readonly lines: () => Iterable<SavedLines> | AsyncIterable<SavedLines>
  /** Puts further files into the directory of the run before it is there for readers. */
  readonly keep?: (directory: string) => Promise<void>
}

/** Lines as bytes, each with a line feed. The bytes may be overwritten when the next part is asked for. */
export interface SavedLines {
  readonly bytes: Buffer
  /** How long each line is, without its line feed. */
  readonly lengths: readonly number[]
}

/** A record as a run to save. */
export function savedRecord(run: RunRecord): SavedRun {
  return { head: headOf(run), trials: run.items.map(figuresOf), lines: () => linesIn(run.items) }
}

const linesAtOnce = 1_000

/** All lines could be longer than a buffer can be. */
function* linesIn(items: readonly ItemResult[]): Generator<SavedLines> {
  for (let start = 0; start < items.length; start += linesAtOnce) {
    const lines = items.slice(start, start + linesAtOnce).map((item) => JSON.stringify(item))
    yield { bytes: Buffer.from(`${lines.join('\n')}\n`), lengths: lines.map((line) => Buffer.byteLength(line)) }
  }
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
  run: SavedRun,
  paths: RunPaths,
  { sync, temporary }: Writing,
  publish: (stage: string) => Promise<Value>,
): Promise<Value> {
  const { head, keep } = run
  const stage = temporaryPath(temporary, 'save')
  try {
    await mkdir(stage)
    const stored = await writeTrials(stage, run, sync)
    await keep?.(stage)
    await writeNewFile(
      join(stage, 'run.json'),
      runHeadToJson(head.status === 'running' ? head : { ...head, stored }),
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

/** Writes `items.jsonl` and its index. */
async function writeTrials(stage: string, { trials, lines }: SavedRun, sync: boolean): Promise<StoredSum> {
  const paths = { items: join(stage, 'items.jsonl'), index: join(stage, 'trials.jsonl') }
  const handle = await open(paths.items, 'wx')
  try {
    const { places, ...sum } = await writeLines(handle, lines())
    // The index is made while the disk takes the lines.
    const [, indexed] = await Promise.all([
      sync ? handle.sync() : undefined,
      growingIndex(paths, { trials, places }).complete(),
    ])
    return { ...sum, ...indexed }
  } finally {
    await handle.close()
  }
}

async function writeLines(
  handle: FileHandle,
  parts: ReturnType<SavedRun['lines']>,
): Promise<StoredSum & { readonly places: readonly LinePlace[] }> {
  const hash = createHash('sha256')
  const places: LinePlace[] = []
  let offset = 0
  for await (const { bytes, lengths } of parts) {
    for (const length of lengths) {
      places.push({ offset, length })
      offset += length + 1
    }
    const written = handle.appendFile(bytes)
    hash.update(bytes)
    await written
  }
  return { lines: places.length, bytes: offset, sha256: hash.digest('hex'), places }
}
