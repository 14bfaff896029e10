import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { figuresOf } from '../result/item-figures.js'
import type { ItemResult, RunRecord } from '../result/records.js'
import type { LinePlace, RunOverview, TrialFigures } from '../result/trial-figures.js'
import {
  diskFailure,
  makeDirectory,
  syncDirectory,
  systemCode,
  temporaryPath,
  type Writing,
  writeNewFile,
} from './disk.js'
import { remember } from './file-listing.js'
import { experimentDirectory, findRun, lockRun, type ResultsDirectory, writingFor } from './file-open.js'
import { runExists } from './names.js'
import { type RunPaths, runPaths, settle } from './run-directory.js'
import { headOf, type RunHead, type StoredSum } from './run-head.js'
import { runHeadToJson } from './stored-record.js'
import { indexedOverview } from './stored-run.js'
import { growingIndex } from './trial-index.js'

interface SavedRun {
  readonly head: RunHead
  readonly trials: readonly TrialFigures[]
  /** The lines of `items.jsonl`, one for each of the trials, in parts; called once for each attempt. */
  readonly lines: () => Iterable<SavedLines> | AsyncIterable<SavedLines>
  /** Puts further files into the directory of the run before it is there for readers. */
  readonly keep?: (directory: string) => Promise<void>
  /** Called with the places of the lines when they are written. */
  readonly placed?: (places: readonly LinePlace[]) => void
}

/** Lines as bytes, each with a line feed. The bytes may be overwritten when the next part is asked for. */
export interface SavedLines {
  readonly bytes: Buffer
  /** How long each line is, without its line feed. */
  readonly lengths: readonly number[]
}

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
 * Makes the directory of a run out of a whole record, in one step.
 *
 * @returns `false` when the directory is there already, and nothing was done
 */
async function saveNew(run: SavedRun, paths: RunPaths, writing: Writing): Promise<boolean> {
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

/** Replaces the record of a run atomically and keeps the other files of its directory. The caller holds the lock. */
async function saveOver(run: SavedRun, paths: RunPaths, writing: Writing): Promise<void> {
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

async function writeTrials(stage: string, { trials, lines, placed }: SavedRun, sync: boolean): Promise<StoredSum> {
  const paths = { items: join(stage, 'items.jsonl'), index: join(stage, 'trials.jsonl') }
  const handle = await open(paths.items, 'wx')
  try {
    const { places, ...sum } = await writeLines(handle, lines())
    placed?.(places)
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

/** How old a lock is that its holder has given up. */
export const staleMs = 60_000

/** Saves a run whose trials are lines already into a results directory, as `save` of its store. Its overview is not read again. */
export async function saveLines(directory: string, run: SavedRun): Promise<RunOverview> {
  const warn = (message: string) => process.emitWarning(message)
  const place = { results: resolve(directory), lockStaleMs: staleMs, sync: true, warn }
  let places: readonly LinePlace[] = []
  const placed: SavedRun['placed'] = (written) => {
    places = written
  }
  const paths = await saveRun(place, { ...run, placed })
  return await indexedOverview(paths, run.head, { trials: run.trials, places }, warn)
}

/** Saves a whole run; one of the same id is replaced. */
export async function saveRun(place: ResultsDirectory, run: SavedRun): Promise<RunPaths> {
  const { id, experimentName } = run.head
  const experiment = experimentDirectory(place, experimentName)
  const found = await findRun(place, id)
  const paths = runPaths(join(experiment, id))
  if (found !== undefined && found.directory !== paths.directory) runExists(id)
  await makeDirectory(experiment, place.sync)
  const writing = writingFor(place, paths)
  if (!(await saveNew(run, paths, writing))) {
    const lock = await lockRun(place, paths, id)
    try {
      await saveOver(run, paths, writing)
    } finally {
      await lock.release()
    }
  }
  await remember(paths, place, { head: run.head, items: run.trials })
  return paths
}
