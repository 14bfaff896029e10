import { rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isRefusedFile, regularFileText } from '@jurist/kit/regular-file'
import type { ItemResult } from '../result/records.js'
import { isMissing, isNowhere, syncDirectory } from './disk.js'
import { type JsonLines, type LinePlace, type LineReading, readJsonLines } from './json-lines.js'
import type { RunHead } from './run-head.js'
import { soundTrials } from './sound-trials.js'
import { recordInvalid, runHeadFromJson } from './stored-record.js'

export interface RunPaths {
  readonly directory: string
  readonly head: string
  readonly items: string
  /** A cache of the figures that tables and statistics need: see `trial-index.ts`. */
  readonly index: string
  readonly lock: string
  readonly excluded: string
  /** A whole record that replaces head and items together: see `settle`. */
  readonly next: string
}

/** The paths below the directory of a run. */
export function runPaths(directory: string): RunPaths {
  const [head, items, lock] = [join(directory, 'run.json'), join(directory, 'items.jsonl'), join(directory, 'lock')]
  const [index, excluded, next] = [
    join(directory, 'trials.jsonl'),
    join(directory, 'excluded.json'),
    join(directory, 'next'),
  ]
  return { directory, head, items, index, lock, excluded, next }
}

/** A run as read from its files. */
export interface StoredRun {
  readonly head: RunHead
  /** In the order of the file. */
  readonly items: readonly ItemResult[]
  /** The position of each item in the file. */
  readonly places: readonly LinePlace[]
  /** Lines that were left out, or damage of the whole file. */
  readonly warning: string | null
  /** How many lines `items.jsonl` has without a torn last one, and how many bytes they take. */
  readonly lines: number
  readonly wholeBytes: number
  /** Whether there is more after them: a torn last line, or lines added after the run had ended. */
  readonly torn: boolean
}

/**
 * Reads a run, never half of a replaced one: when its head changed while its items were read, both are read again. Lines
 * that are not sound trials of the run are left out with a warning.
 *
 * @returns `undefined` when there is no such run
 * @throws `record-invalid`
 */
export async function readRun(paths: RunPaths, warn: (message: string) => void): Promise<StoredRun | undefined> {
  for (;;) {
    const text = await readText(join(paths.next, 'run.json'), paths.head)
    if (text === undefined) return undefined
    const head = runHeadFromJson(text, paths.head)
    const read = await readItems(paths, head)
    if ((await readText(join(paths.next, 'run.json'), paths.head)) !== text) continue
    if (read.warning !== null) warn(read.warning)
    return { head, ...read }
  }
}

async function readItems(paths: RunPaths, head: RunHead): Promise<Omit<StoredRun, 'head'>> {
  const sound = soundTrials(paths.items, head)
  const places: LinePlace[] = []
  const reading: LineReading<ItemResult> = {
    ...sound.reading,
    accept(value, line, place) {
      const item = sound.reading.accept(value, line, place)
      if (item !== undefined) places.push(place)
      return item
    },
  }
  const lines = (await readLines(join(paths.next, 'items.jsonl'), reading)) ?? (await readLines(paths.items, reading))
  if (lines === undefined) return { items: [], places, lines: 0, wholeBytes: 0, torn: false, warning: null }
  const { values: items, torn, lastBytes } = lines
  const warning = sound.warning(torn)
  // Lines added after the end are not part of the run: a process that continues it cuts them off.
  if (lastBytes !== undefined && head.stored !== undefined)
    return { items, places, lines: head.stored.lines, wholeBytes: lastBytes, torn: true, warning }
  return { items, places, lines: lines.lines, wholeBytes: lines.wholeBytes, torn, warning }
}

async function readLines(path: string, reading: LineReading<ItemResult>): Promise<JsonLines<ItemResult> | undefined> {
  try {
    return await readJsonLines(path, reading)
  } catch (thrown) {
    if (isRefusedFile(thrown)) recordInvalid(path, '', thrown.message)
    throw thrown
  }
}

/** The text of the first of two files that exists. */
async function readText(path: string, otherwise?: string): Promise<string | undefined> {
  try {
    return await regularFileText(path)
  } catch (thrown) {
    if (isRefusedFile(thrown)) recordInvalid(path, '', thrown.message)
    if (!isMissing(thrown)) throw thrown
    return otherwise === undefined ? undefined : readText(otherwise)
  }
}

/**
 * Brings a record that was put in `next` to its place. The rename that made `next` was the moment of replacement:
 * readers look there first. Who holds the lock does this, also for a predecessor that died half way.
 */
export async function settle(paths: RunPaths, sync: boolean): Promise<void> {
  if (!(await exists(paths.next))) return
  await moved(join(paths.next, 'items.jsonl'), paths.items)
  await moved(join(paths.next, 'trials.jsonl'), paths.index)
  await moved(join(paths.next, 'run.json'), paths.head)
  if (sync) await syncDirectory(paths.directory)
  await rmdir(paths.next)
}

async function moved(from: string, to: string): Promise<void> {
  await rename(from, to).catch((thrown) => {
    if (!isMissing(thrown)) throw thrown
  })
}

/** Whether there is anything at a path. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (thrown) {
    if (isNowhere(thrown)) return false
    throw thrown
  }
}

/** Why a run is left out of lists; `null` when it is not. A file that cannot be read still leaves it out. */
export async function exclusionOf(paths: RunPaths): Promise<string | null> {
  const text = await readText(paths.excluded)
  if (text === undefined) return null
  try {
    const { reason } = JSON.parse(text)
    return String(reason)
  } catch {
    return 'excluded.json cannot be read'
  }
}

export async function removeExclusion(paths: RunPaths): Promise<void> {
  await rm(paths.excluded, { force: true })
}
