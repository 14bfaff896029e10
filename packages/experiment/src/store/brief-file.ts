import type { BigIntStats } from 'node:fs'
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type BriefPart, type Briefs, rowReader, rowWriter } from './brief-rows.js'
import { temporaryPath } from './disk.js'
import { type LineReading, readJsonLines, readJsonLinesSync } from './json-lines.js'
import type { RunPaths } from './run-directory.js'
import { type Judged, soundTrials } from './sound-trials.js'

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

/** Whether nothing has changed. */
function isSame(one: Omit<ItemsState, 'inode'>, other: Omit<ItemsState, 'inode'>): boolean {
  return one.bytes === other.bytes && one.modifiedNs === other.modifiedNs
}

/**
 * What the brief of a run says, in the order of the file; `undefined` when there is none, or it is of another state of the
 * trials, or damaged.
 */
export async function readBrief(paths: RunPaths, state: ItemsState): Promise<Briefs | undefined> {
  const { reading, whole } = briefReading(state)
  const lines = await readJsonLines(briefPath(paths), reading).catch(() => undefined)
  return lines === undefined ? undefined : whole()
}

/** `readBrief`, while everything else waits. */
export function readBriefSync(paths: RunPaths, state: ItemsState): Briefs | undefined {
  const { reading, whole } = briefReading(state)
  try {
    readJsonLinesSync(briefPath(paths), Number.POSITIVE_INFINITY, reading)
    return whole()
  } catch {
    return undefined
  }
}

function briefReading(state: ItemsState): { reading: LineReading<void>; whole: () => Briefs | undefined } {
  const briefs: Briefs = { trials: [], lengths: [] }
  const readPart = rowReader(briefs)
  let isWhole = false
  return {
    whole: () => (isWhole ? briefs : undefined),
    reading: {
      damaged: unusable,
      accept(value, line) {
        if (line === 1) {
          const header = value as Header
          if (header.briefVersion !== briefVersion || !isSame(header, state)) unusable()
        } else if ('trials' in (value as object)) readPart(value as BriefPart)
        else isWhole = (value as { count: unknown }).count === briefs.trials.length
      },
    },
  }
}

function unusable(): never {
  throw new TypeError('The brief is not of these trials.')
}

/**
 * Reads every trial of a run for its brief, and writes that.
 *
 * @returns whether there is one now. It is a cache: where it cannot be written, or something of the trials has to be left
 * out, there is none
 */
export async function makeBrief(paths: RunPaths, state: ItemsState, head: Judged): Promise<boolean> {
  const path = briefPath(paths)
  const draft = briefDraft(temporaryPath(dirname(path), basename(path)))
  if (draft === undefined) return false
  const { reading, warning } = soundTrials(paths.items, head)
  const rows = rowWriter()
  let isMade = false
  try {
    const { bytes, modifiedNs } = state
    draft.write({ briefVersion, bytes, modifiedNs } satisfies Header)
    const lines = await readJsonLines(paths.items, {
      ...reading,
      accept(value, number, line) {
        const item = reading.accept(value, number, line)
        if (item !== undefined) rows.add(item, Buffer.byteLength(line))
        if (rows.pending() === rowsAtOnce) draft.write(rows.take())
        return undefined
      },
    })
    draft.write(rows.take())
    draft.write({ count: lines?.lines })
    isMade = lines !== undefined && !lines.torn && warning(false) === null && draft.publish(path)
  } finally {
    draft.end()
  }
  return isMade
}

/** A file that is written aside, and forgotten unless it is published. */
interface Draft {
  write(value: unknown): void
  /** Whether everything was written, and stands at the path now. */
  publish(path: string): boolean
  end(): void
}

/** `undefined`: nothing can be written there. */
function briefDraft(temporary: string): Draft | undefined {
  let file: number
  try {
    mkdirSync(dirname(temporary), { recursive: true })
    file = openSync(temporary, 'wx')
  } catch {
    return undefined
  }
  let failed = false
  const attempt = (action: () => void) => {
    try {
      if (!failed) action()
    } catch {
      failed = true
    }
  }
  return {
    write: (value) => attempt(() => writeAll(file, Buffer.from(`${JSON.stringify(value)}\n`))),
    publish(path) {
      attempt(() => renameSync(temporary, path))
      return !failed
    },
    end() {
      closeSync(file)
      rmSync(temporary, { force: true })
    },
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
