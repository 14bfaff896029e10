import { createHash } from 'node:crypto'
import { rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import { isRefusedFile, regularFileText } from '@jurist/kit/regular-file'
import type { ItemResult } from '../result/records.js'
import { type LinePlace, trialText } from '../result/trial-figures.js'
import { ifThere, isNowhere, syncDirectory } from './disk.js'
import { type LineReading, readJsonLines } from './json-lines.js'
import { shown } from './names.js'
import { plannedRepetitions, type RunHead } from './run-head.js'
import { itemFromLine, recordInvalid, runHeadFromJson } from './stored-record.js'

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
  const readLines = (path: string) => refusedAsInvalid(path, readJsonLines(path, reading))
  const lines = (await readLines(join(paths.next, 'items.jsonl'))) ?? (await readLines(paths.items))
  if (lines === undefined) return { items: [], places, lines: 0, wholeBytes: 0, torn: false, warning: null }
  const { values: items, torn, lastBytes } = lines
  const warning = sound.warning(torn)
  // Lines added after the end are not part of the run: a process that continues it cuts them off.
  if (lastBytes !== undefined && head.stored !== undefined)
    return { items, places, lines: head.stored.lines, wholeBytes: lastBytes, torn: true, warning }
  return { items, places, lines: lines.lines, wholeBytes: lines.wholeBytes, torn, warning }
}

/** The text of the first of two files that exists. */
async function readText(path: string, otherwise?: string): Promise<string | undefined> {
  const text = await refusedAsInvalid(path, ifThere(regularFileText(path)))
  return text === undefined && otherwise !== undefined ? readText(otherwise) : text
}

/** What is not a regular file is a damaged record. */
async function refusedAsInvalid<Value>(path: string, asked: Promise<Value>): Promise<Value> {
  try {
    return await asked
  } catch (thrown) {
    if (isRefusedFile(thrown)) recordInvalid(path, '', thrown.message)
    throw thrown
  }
}

/**
 * Brings a record that was put in `next` to its place. The rename that made `next` was the moment of replacement:
 * readers look there first. Who holds the lock does this, also for a predecessor that died half way.
 */
export async function settle(paths: RunPaths, sync: boolean): Promise<void> {
  if (!(await exists(paths.next))) return
  await ifThere(rename(join(paths.next, 'items.jsonl'), paths.items))
  await ifThere(rename(join(paths.next, 'trials.jsonl'), paths.index))
  await ifThere(rename(join(paths.next, 'run.json'), paths.head))
  if (sync) await syncDirectory(paths.directory)
  await rmdir(paths.next)
}

/** Whether there is anything at a path. */
export async function exists(path: string): Promise<boolean> {
  return (await ifThere(stat(path), isNowhere)) !== undefined
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

/** A reading of `items.jsonl` that leaves out what is not a sound trial of the run. */
interface SoundTrials {
  readonly reading: LineReading<ItemResult>
  /** A warning about lines that were left out, or about a file that has changed since the run ended; `null`: none. */
  readonly warning: (torn: boolean) => string | null
}

/**
 * Reads the trials of one run. Left out are lines that are damaged, trials that are not in the plan of the run, a second
 * result of a decided trial, and lines added after the run had ended.
 */
function soundTrials(path: string, head: Judged): SoundTrials {
  const leftOut: string[] = []
  const leave = (line: number, problem: string): undefined => void leftOut.push(`line ${line} ${problem}`)
  const { stored } = head
  const planned = planOf(head)
  const second = secondResults()
  const sum = stored === undefined ? null : sumOf(stored.bytes)
  const isLate = (line: number) => stored !== undefined && line > stored.lines
  return {
    reading: {
      damaged(line) {
        leave(line, isLate(line) ? late : 'is damaged')
      },
      accept(value, line) {
        if (isLate(line)) return leave(line, late)
        const item = itemIn(value, path, line)
        if (typeof item === 'string') return leave(line, item)
        const name = JSON.stringify(trialText(item))
        if (!planned(item)) return leave(line, `is of ${name}, which is not in the plan of the run`)
        const first = second(item, line)
        return first === null ? item : leave(line, `is a second result of ${name}, which line ${first} has decided`)
      },
      ...(sum === null || stored === undefined ? {} : { passed: sum.add, lastLine: stored.lines }),
    },
    warning: (torn) => warningOf(path, leftOut, { torn, changed: sum !== null && sum.hex() !== stored?.sha256 }),
  }
}

/** The fields of the head from which the trials of a run follow. */
type Judged = Pick<RunHead, 'itemOrder' | 'planned' | 'dataset' | 'configuration' | 'stored'>

const late = 'was added after the run had ended'

function itemIn(value: unknown, path: string, line: number): ItemResult | string {
  try {
    return itemFromLine(value, path, line)
  } catch (thrown) {
    if (!JuristError.is(thrown, 'record-invalid')) throw thrown
    const { pointer } = thrown.details
    return pointer === '' ? 'is not the record of a trial' : `has no valid "${pointer.slice(1)}"`
  }
}

/** Whether a trial is in the plan of a run; of a run that does not name all of its plan every trial is. */
function planOf({ itemOrder = [], ...head }: Judged): (item: ItemResult) => boolean {
  const ids = new Set(itemOrder)
  if (ids.size === 0 || ids.size !== head.dataset.selectedItemCount) return () => true
  return ({ itemId, repetition }) => ids.has(itemId) && repetition <= Math.ceil(plannedRepetitions(head, itemId))
}

/** A function that gives the line that has decided a trial before, and `null` when none has. */
function secondResults(): (item: ItemResult, line: number) => number | null {
  const decided = new Map<string, number>()
  return ({ itemId, repetition, passed }, line) => {
    const key = repetition === 1 ? itemId : `${itemId}\n${repetition}`
    const first = decided.get(key)
    if (first === undefined && passed !== null) decided.set(key, line)
    return first ?? null
  }
}

/** Adds up the first bytes of a file. */
function sumOf(bytes: number) {
  const hash = createHash('sha256')
  let left = bytes
  let digest: string | undefined
  return {
    add(part: Buffer): void {
      hash.update(part.length <= left ? part : part.subarray(0, left))
      left -= Math.min(left, part.length)
    },
    hex(): string {
      digest ??= left > 0 ? '' : hash.digest('hex')
      return digest
    },
  }
}

const maxNamed = 5

function warningOf(
  path: string,
  leftOut: readonly string[],
  { torn, changed }: { readonly torn: boolean; readonly changed: boolean },
): string | null {
  const sentences = [
    ...(leftOut.length === 0 ? [] : [`${listed(leftOut)}. ${leftOut.length === 1 ? 'It is' : 'They are'} left out.`]),
    ...(torn ? ['the last line is torn and was left out; its writer died while it wrote.'] : []),
    ...(changed ? ['the file is not what it was when the run ended: its checksum differs from that in run.json.'] : []),
  ]
  return sentences.length === 0 ? null : `${shown(path)}: ${sentences.join(' ')}`
}

function listed(problems: readonly string[]): string {
  const more = problems.length - maxNamed
  return more > 0 ? `${problems.slice(0, maxNamed).join(', ')}, and ${more} more` : problems.join(', ')
}
