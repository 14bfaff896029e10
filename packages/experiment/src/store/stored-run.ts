import type { BigIntStats } from 'node:fs'
import { type FileHandle, stat } from 'node:fs/promises'
import { JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { openRegularFile, regularFileBytes } from '@jurist/kit/regular-file'
import { figuresOf } from '../result/item-figures.js'
import type { ItemResult } from '../result/records.js'
import { overviewOf } from '../result/summarize.js'
import {
  chosenItems,
  type FileOverview,
  isInFiles,
  itemsOf,
  type LinePart,
  type LinePlace,
  type RunOverview,
  type RunResult,
  type Trial,
  type TrialName,
  trialKey,
  trialText,
} from '../result/trial-figures.js'
import { diskFailure } from './disk.js'
import { partsOfFile, partsOfItems } from './line-parts.js'
import { shown } from './names.js'
import { exists, type RunPaths, readRun } from './run-directory.js'
import { currentHead, inResultOrder, type RunHead, recordOf } from './run-head.js'
import { itemFromLine, runHeadFromBytes } from './stored-record.js'
import { growingIndex, type IndexedTrials, readIndex } from './trial-index.js'

/** Longer runs without an index get one when they are first read. */
const longBytes = 1024 * 1024

/**
 * The overview of a run, from its index where it has ended and has one, otherwise from its items. A long run that has ended
 * without an index, as those of older versions, gets one.
 *
 * @param held whether a writer has the run
 * @returns `undefined` when there is no such run
 * @throws `record-invalid` for a damaged head
 */
export async function readOverview(
  paths: RunPaths,
  held: boolean,
  warn: (message: string) => void,
): Promise<RunOverview | undefined> {
  const indexed = held ? undefined : await overviewByIndex(paths, warn)
  if (indexed !== undefined) return indexed
  const run = await readRun(paths, warn)
  if (run === undefined) return undefined
  const items = inResultOrder(run.items, run.head)
  if (!held && run.head.status !== 'running' && run.warning === null && run.wholeBytes >= longBytes) {
    await growingIndex(paths, { trials: run.items.map(figuresOf), places: run.places }).complete()
    const long = await overviewByIndex(paths, warn)
    if (long !== undefined) return long
  }
  const trials = items.map(figuresOf)
  return overviewOf({
    ...recordOf(currentHead(run.head, items, held)),
    ...{ trials, readItems: async (wanted) => chosenItems(items, wanted) },
    ...linesFrom({ paths, state: await stateOf(paths.items), find: placesOf(items, run) }, trials),
  })
}

async function overviewByIndex(paths: RunPaths, warn: (message: string) => void): Promise<RunOverview | undefined> {
  const before = await stateOf(paths.head)
  const json = await regularFileBytes(paths.head).catch(() => undefined)
  const state = await stateOf(paths.items)
  if (json === undefined || before === undefined || state === undefined) return undefined
  const head = runHeadFromBytes(json, paths.head)
  if (head.status === 'running') return undefined
  const indexed = await readIndex(paths, head)
  if (indexed === undefined || (await isReplaced(paths, state, before))) return undefined
  return indexedOverview(paths, head, indexed, warn)
}

/** Whether another run took the place of one while it was read, or is about to. */
async function isReplaced(paths: RunPaths, items: BigIntStats, head: BigIntStats): Promise<boolean> {
  if (await exists(paths.next)) return true
  const [itemsNow, headNow] = [await stateOf(paths.items), await stateOf(paths.head)]
  // A changed head is a new file.
  return itemsNow?.ino !== items.ino || headNow?.ino !== head.ino || headNow.mtimeNs !== head.mtimeNs
}

async function stateOf(path: string): Promise<BigIntStats | undefined> {
  return await stat(path, { bigint: true }).catch(() => undefined)
}

/** The overview of a run that has ended, whose trials are known with their places. */
export async function indexedOverview(
  paths: RunPaths,
  head: RunHead,
  { trials, places }: IndexedTrials,
  warn: (message: string) => void,
): Promise<RunOverview> {
  const ordered = inResultOrder(trials, head)
  const state = await stateOf(paths.items)
  const source = { paths, state, find: placesOf(ordered, { items: trials, places }) }
  return overviewOf({
    ...recordOf(head),
    trials: ordered,
    readItems: (wanted) => (wanted === undefined ? readAll(paths, state, warn) : readItems(source, wanted)),
    ...linesFrom(source, ordered),
  })
}

/** Finds the places of trials in a file. Of several lines of one trial that counts which is among the ordered ones. */
function placesOf(
  ordered: readonly TrialName[],
  { items, places }: { readonly items: readonly TrialName[]; readonly places: readonly LinePlace[] },
): LineSource['find'] {
  return (wanted) => {
    // Most callers pass trials of the overview: their names are compared only for the others.
    const known = placesAmong(new Set(wanted), items, places)
    const others = wanted.filter((trial) => !known.has(trial))
    const ids = new Set(others.map(({ itemId }) => itemId))
    const named = ids.size === 0 ? [] : ordered.filter(({ itemId }) => ids.has(itemId))
    const placeOfNamed = placesAmong(new Set(named), items, places)
    const byName = new Map(named.map((one) => [trialKey(one), placeOfNamed.get(one)]))
    return wanted.map((trial) => known.get(trial) ?? byName.get(trialKey(trial)) ?? unknownTrial(trial))
  }
}

function placesAmong(
  wanted: ReadonlySet<TrialName>,
  items: readonly TrialName[],
  places: readonly LinePlace[],
): ReadonlyMap<TrialName, LinePlace> {
  const found = new Map<TrialName, LinePlace>()
  for (let index = 0; index < items.length && found.size < wanted.size; index += 1) {
    const [item, place] = [items[index], places[index]]
    if (item !== undefined && place !== undefined && wanted.has(item)) found.set(item, place)
  }
  return found
}

interface LineSource {
  readonly paths: RunPaths
  readonly state: BigIntStats | undefined
  readonly find: (wanted: readonly TrialName[]) => readonly LinePlace[]
}

/** How the lines of an overview of a run in files are read. */
function linesFrom(source: LineSource, trials: readonly Trial[]): Pick<FileOverview, 'search' | 'readLines'> {
  return {
    search: (fits, mayFit) => searched(source, trials, fits, mayFit),
    readLines: (wanted, partBytes) => partsOf(source, wanted, partBytes),
  }
}

/**
 * Whole trials of a run as lines of `items.jsonl`, as bytes, unread where the run is in files. `itemsOf` checks them.
 *
 * @param partBytes about how many bytes are in memory at a time, where the run is in files
 * @throws `store-failed` when the run was removed or changed since
 */
export function linePartsOf(run: RunResult, trials: readonly TrialName[], partBytes: number): AsyncGenerator<LinePart> {
  return isInFiles(run) ? run.readLines(trials, partBytes) : partsOfRead(run, trials)
}

async function* partsOfRead(run: RunResult, trials: readonly TrialName[]): AsyncGenerator<LinePart> {
  yield* partsOfItems(await itemsOf(run, trials))
}

function partsOf({ paths, state, find }: LineSource, wanted: readonly TrialName[], partBytes: number) {
  const open = () => openUnchanged(paths, state)
  return partsOfFile(find(wanted), { open, partBytes, changed: () => hasChanged(paths) })
}

async function searched(
  source: LineSource,
  trials: readonly Trial[],
  ...[fits, mayFit]: Parameters<FileOverview['search']>
): Promise<readonly Trial[]> {
  const found: Trial[] = []
  let index = 0
  for await (const { bytes, lines } of partsOf(source, trials, searchedBytes))
    for (const { offset, length } of lines) {
      const trial = trials[index++] ?? hasChanged(source.paths)
      const json = bytes.toString('utf8', offset, offset + length)
      if (mayFit(json) && fits(itemIn(json, trial, source.paths, index))) found.push(trial)
    }
  return found
}

async function readAll(
  paths: RunPaths,
  state: BigIntStats | undefined,
  warn: (message: string) => void,
): Promise<readonly ItemResult[]> {
  await (await openUnchanged(paths, state)).close()
  const run = await readRun(paths, warn)
  return run === undefined ? hasChanged(paths) : inResultOrder(run.items, run.head)
}

const partBytes = 1024 * 1024
/** A search opens the file once for each part. */
const searchedBytes = 8 * partBytes

async function readItems(source: LineSource, wanted: readonly TrialName[]): Promise<readonly ItemResult[]> {
  const { paths } = source
  const items: ItemResult[] = []
  for await (const { bytes, lines } of partsOf(source, wanted, partBytes))
    for (const { offset, length } of lines) {
      const trial = wanted[items.length] ?? hasChanged(paths)
      items.push(itemIn(bytes.toString('utf8', offset, offset + length), trial, paths, items.length + 1))
    }
  return items
}

/** The record of a trial in its line. */
function itemIn(json: string, { itemId, repetition }: TrialName, paths: RunPaths, number: number): ItemResult {
  const item = itemFromLine(parsed(json) ?? hasChanged(paths), paths.items, number)
  return item.itemId === itemId && item.repetition === repetition ? item : hasChanged(paths)
}

function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Opens the items of a run that was read before; lines may have been added since. */
async function openUnchanged(paths: RunPaths, state: BigIntStats | undefined): Promise<FileHandle> {
  let file: FileHandle
  try {
    file = await openRegularFile(paths.items)
  } catch (thrown) {
    throw diskFailure('read', paths.items, thrown)
  }
  const found = await file.stat({ bigint: true })
  if (state !== undefined && found.ino === state.ino && found.size >= state.size) return file
  await file.close()
  return hasChanged(paths)
}

function hasChanged({ items }: RunPaths): never {
  const message = `${shown(items)} has changed since the run was loaded. Load the run again.`
  throw new JuristError('store-failed', message, { path: items })
}

function unknownTrial({ itemId, repetition }: TrialName): never {
  throw new JuristError('run-unknown', `The run has no trial ${JSON.stringify(trialText({ itemId, repetition }))}.`, {
    id: itemId,
  })
}
