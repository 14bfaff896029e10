import { readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ItemResult } from '../result/records.js'
import { syncDirectory } from './atomic-file.js'
import { isMissing, isNowhere } from './disk-failure.js'
import { itemFromLine } from './item-record.js'
import { type LineReading, readJsonLines } from './json-lines.js'
import type { RunHead } from './run-head.js'
import { runHeadFromJson } from './run-json.js'
import { recordInvalid } from './stored-record.js'

/** Where the files of a run stand. */
export interface RunPaths {
  readonly directory: string
  readonly head: string
  readonly items: string
  readonly lock: string
  readonly excluded: string
  /** A whole record that replaces head and items, all at once: see `settle`. */
  readonly next: string
}

/** The paths below the directory of a run. */
export function runPaths(directory: string): RunPaths {
  const [head, items, lock] = [join(directory, 'run.json'), join(directory, 'items.jsonl'), join(directory, 'lock')]
  return { directory, head, items, lock, excluded: join(directory, 'excluded.json'), next: join(directory, 'next') }
}

/** A run as its files say. */
export interface StoredRun {
  readonly head: RunHead
  /** In the order of the file. */
  readonly items: readonly ItemResult[]
  /** Bytes of `items.jsonl` without a torn last line. */
  readonly wholeBytes: number
  readonly torn: boolean
}

/**
 * Reads a run, never half of a replaced one: when its head changed while its items were read, both are read again.
 *
 * @returns `undefined` when there is no such run
 * @throws `record-invalid`
 */
export async function readRun(paths: RunPaths, warn: (message: string) => void): Promise<StoredRun | undefined> {
  for (;;) {
    const text = await readText(join(paths.next, 'run.json'), paths.head)
    if (text === undefined) return undefined
    const head = runHeadFromJson(text, paths.head)
    const items = await readItems(paths)
    if ((await readText(join(paths.next, 'run.json'), paths.head)) !== text) continue
    if (items.torn) warn(`${paths.items}: the last line is torn and was left out; its writer died while it wrote.`)
    return { head, ...items }
  }
}

async function readItems(paths: RunPaths): Promise<Omit<StoredRun, 'head'>> {
  const reading = itemReading(paths)
  const lines =
    (await readJsonLines(join(paths.next, 'items.jsonl'), reading)) ?? (await readJsonLines(paths.items, reading))
  return { items: lines?.values ?? [], wholeBytes: lines?.wholeBytes ?? 0, torn: lines?.torn ?? false }
}

/** How the lines of `items.jsonl` become trials. */
export function itemReading({ items }: Pick<RunPaths, 'items'>): LineReading<ItemResult> {
  return {
    accept: (value, line) => itemFromLine(value, items, line),
    damaged: (line) => recordInvalid(items, '', `line ${line} is damaged, though it is not the last one`),
  }
}

/** The text of the first of two files that exists. */
async function readText(path: string, otherwise?: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
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

/** Takes the exclusion of a run away. */
export async function removeExclusion(paths: RunPaths): Promise<void> {
  await rm(paths.excluded, { force: true })
}
