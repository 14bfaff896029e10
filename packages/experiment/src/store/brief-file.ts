import type { BigIntStats } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { temporaryPath } from './atomic-file.js'
import { type BriefPart, type PlacedBrief, rowReader, rowWriter } from './brief-rows.js'
import { readJsonLines } from './json-lines.js'
import type { RunPaths } from './run-directory.js'

/** What tells one state of `items.jsonl` from another. */
export interface ItemsState {
  readonly bytes: number
  /** Nanoseconds, as text. */
  readonly modifiedNs: string
  /** The number of the file on its disk; another after a copy. */
  readonly inode: string
}

/** The first line of a brief. */
interface Header extends Omit<ItemsState, 'inode'> {
  readonly briefVersion: number
}

/** Counted up when rows mean something else: an older brief is made anew. */
const briefVersion = 1
const rowsAtOnce = 1_000

/**
 * Where the brief of a run stands: beside the run, as nothing in it is a record of its own. It is a cache of what tables,
 * reports and statistics need of a long run, and counts only for the state of `items.jsonl` of which it was made.
 */
export function briefPath({ directory }: Pick<RunPaths, 'directory'>): string {
  return join(dirname(directory), '.brief', `${basename(directory)}.jsonl`)
}

/** The state of the trials of a run; `undefined` when they are missing. */
export async function itemsState({ items }: Pick<RunPaths, 'items'>): Promise<ItemsState | undefined> {
  const found = await stat(items, { bigint: true }).catch(() => undefined)
  return found && stateOf(found)
}

/** The state of a file. */
export function stateOf({ size, mtimeNs, ino }: BigIntStats): ItemsState {
  return { bytes: Number(size), modifiedNs: String(mtimeNs), inode: String(ino) }
}

/**
 * What the brief of a run says, in the order of the file; `undefined` when there is none, or it is of another state of the
 * trials, or damaged.
 */
export async function readBrief(paths: RunPaths, state: ItemsState): Promise<readonly PlacedBrief[] | undefined> {
  const briefs: PlacedBrief[] = []
  const { accept, isWhole } = briefReading(state, briefs)
  try {
    const lines = await readJsonLines(briefPath(paths), { accept, damaged: unusable })
    return lines !== undefined && !lines.torn && isWhole() ? briefs : undefined
  } catch {
    return undefined
  }
}

function unusable(): never {
  throw new TypeError('The brief is not of these trials.')
}

function briefReading(state: ItemsState, briefs: PlacedBrief[]) {
  const briefsIn = rowReader()
  let isWhole = false
  return {
    isWhole: () => isWhole,
    accept(value: unknown, line: number): void {
      if (line === 1) {
        const header = value as Header
        if (header.briefVersion !== briefVersion || !isSame(header, state)) unusable()
      } else if ('trials' in (value as object)) for (const brief of briefsIn(value as BriefPart)) briefs.push(brief)
      else isWhole = (value as { count: unknown }).count === briefs.length
    },
  }
}

/** Whether nothing has changed. */
export function isSame(one: Omit<ItemsState, 'inode'>, other: Omit<ItemsState, 'inode'>): boolean {
  return one.bytes === other.bytes && one.modifiedNs === other.modifiedNs
}

/** Writes the brief of a run. It is a cache: where it cannot be written, there is none. */
export async function writeBrief(paths: RunPaths, state: ItemsState, briefs: readonly PlacedBrief[]): Promise<void> {
  const path = briefPath(paths)
  const temporary = temporaryPath(dirname(path), basename(path))
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeParts(temporary, state, briefs)
    await rename(temporary, path)
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined)
  }
}

async function writeParts(
  path: string,
  { bytes, modifiedNs }: ItemsState,
  briefs: readonly PlacedBrief[],
): Promise<void> {
  const partOf = rowWriter()
  await using file = await open(path, 'wx')
  const write = (value: unknown) => file.appendFile(`${JSON.stringify(value)}\n`)
  await write({ briefVersion, bytes, modifiedNs } satisfies Header)
  for (let start = 0; start < briefs.length; start += rowsAtOnce)
    await write(partOf(briefs.slice(start, start + rowsAtOnce)))
  await write({ count: briefs.length })
}
