import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { JuristError } from '@jurist/core'
import { type BriefSource, withBriefs } from '../result/brief-trials.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type { TrialBrief } from '../result/trial-brief.js'
import type { TrialFigures } from '../result/trial-figures.js'
import { type ItemsState, itemsState, makeBrief, readBrief, readBriefSync, stateOf } from './brief-file.js'
import type { Briefs } from './brief-rows.js'
import { diskFailure, shown } from './disk.js'
import { itemFromLine } from './item-record.js'
import { readJsonLinesSync } from './json-lines.js'
import { exists, type RunPaths } from './run-directory.js'
import { endedResult, inResultOrder, type RunHead } from './run-head.js'
import { runHeadFromJson } from './run-json.js'
import { type Judged, soundTrials } from './sound-trials.js'

/** Shorter runs are read as quickly as their brief would be. */
const longBytes = 32 * 1024 * 1024

/**
 * A long run that has ended, by its brief, which is made when there is none: its items are read when they are first asked
 * for. `undefined` for any other run, and where no brief can be kept.
 *
 * @throws `record-invalid` for a head that is damaged
 */
export async function loadLongRun(paths: RunPaths): Promise<ExperimentResult | undefined> {
  const state = await itemsState(paths)
  if (state === undefined || state.bytes < longBytes) return undefined
  const text = await readFile(paths.head, 'utf8')
  const head = runHeadFromJson(text, paths.head)
  if (head.status === 'running') return undefined
  let briefs = await readBrief(paths, state)
  if (briefs === undefined && (await makeBrief(paths, state, head))) briefs = await readBrief(paths, state)
  if (briefs === undefined || (await isReplaced(paths, state, text))) return undefined
  const ordered = inResultOrder(briefs.trials, head.itemOrder)
  return longResult({ paths, state, head }, ordered, { ...briefs, ordered })
}

/** Whether another run was put in the place of one while it was read, or is about to be. */
async function isReplaced(paths: RunPaths, { inode }: ItemsState, head: string): Promise<boolean> {
  if (await exists(paths.next)) return true
  return (await itemsState(paths))?.inode !== inode || (await readFile(paths.head, 'utf8')) !== head
}

/**
 * `loadLongRun` for a run that its writer has just ended: its brief is read when it is asked for.
 *
 * @param figures those of its trials, in result order
 */
export async function endLongRun(
  paths: RunPaths,
  head: RunHead,
  figures: readonly TrialFigures[],
): Promise<ExperimentResult | undefined> {
  const state = await keepBrief(paths, head)
  return state && longResult({ paths, state, head }, figures, undefined)
}

/**
 * Makes the brief of a run whose trials were just stored; they are stored well, whatever becomes of it.
 *
 * @returns the state of the trials that it is of; `undefined` when there is none
 */
export async function keepBrief(paths: RunPaths, head: Judged): Promise<ItemsState | undefined> {
  const state = await itemsState(paths)
  if (state === undefined || state.bytes < longBytes) return undefined
  return (await makeBrief(paths, state, head).catch(() => false)) ? state : undefined
}

/** A run in its files. */
interface LongRun {
  readonly paths: RunPaths
  readonly state: ItemsState
  readonly head: RunHead
}

interface OrderedBriefs extends Briefs {
  /** In result order. */
  readonly ordered: readonly TrialBrief[]
}

/** @param known its briefs, unless they are to be read when they are asked for */
function longResult(
  run: LongRun,
  figures: readonly TrialFigures[],
  known: OrderedBriefs | undefined,
): ExperimentResult {
  const { paths, state, head } = run
  const readAll = () => {
    closeSync(openItems(paths, state))
    return readJsonLinesSync(paths.items, state.bytes, soundTrials(paths.items, head).reading)
  }
  let briefs = known
  const source: BriefSource = {
    trials() {
      briefs ??= readOrdered(run)
      return briefs?.ordered
    },
    read: (wanted) => readWhole(run, briefs ?? hasChanged(paths), wanted),
  }
  return withBriefs(endedResult(head, figures, readAll), source)
}

function readOrdered({ paths, state, head }: LongRun): OrderedBriefs | undefined {
  const briefs = readBriefSync(paths, state)
  return briefs && { ...briefs, ordered: inResultOrder(briefs.trials, head.itemOrder) }
}

function readWhole({ paths, state }: LongRun, briefs: Briefs, wanted: readonly TrialBrief[]): readonly ItemResult[] {
  const places = placesOf(briefs, new Set(wanted))
  const file = openItems(paths, state)
  try {
    return wanted.map((trial, index) => {
      const { offset, length } = places.get(trial) ?? hasChanged(paths)
      const bytes = Buffer.alloc(length)
      readSync(file, bytes, 0, length, offset)
      const line = bytes.toString('utf8')
      const item = itemFromLine(parsed(line) ?? hasChanged(paths), paths.items, index + 1)
      return item.itemId === trial.itemId && item.repetition === trial.repetition ? item : hasChanged(paths)
    })
  } finally {
    closeSync(file)
  }
}

/** Where the lines of some trials stand, in bytes. */
function placesOf({ trials, lengths }: Briefs, wanted: ReadonlySet<TrialBrief>): ReadonlyMap<TrialBrief, Extent> {
  const places = new Map<TrialBrief, Extent>()
  let offset = 0
  for (const [index, trial] of trials.entries()) {
    const length = lengths[index] ?? 0
    if (wanted.has(trial)) places.set(trial, { offset, length })
    offset += length + 1
  }
  return places
}

interface Extent {
  readonly offset: number
  readonly length: number
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Opens the trials of a run that was loaded before. More may have been added since.
 *
 * @throws `store-failed` when they are gone, or others stand in their place
 */
function openItems(paths: RunPaths, { bytes, inode }: ItemsState): number {
  let file: number
  try {
    file = openSync(paths.items, 'r')
  } catch (thrown) {
    throw diskFailure('read', paths.items, thrown)
  }
  const found = stateOf(fstatSync(file, { bigint: true }))
  if (found.inode === inode && found.bytes >= bytes) return file
  closeSync(file)
  return hasChanged(paths)
}

function hasChanged({ items }: RunPaths): never {
  const message = `${shown(items)} has changed since the run was loaded. Load the run again.`
  throw new JuristError('store-failed', message, { path: items })
}
