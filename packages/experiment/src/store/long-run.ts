import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { JuristError } from '@jurist/core'
import { withBriefs } from '../result/brief-trials.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { briefOf } from '../result/trial-brief.js'
import { type ItemsState, isSame, itemsState, readBrief, stateOf, writeBrief } from './brief-file.js'
import type { PlacedBrief } from './brief-rows.js'
import { diskFailure, shown } from './disk-failure.js'
import { readJsonLines, readJsonLinesSync } from './json-lines.js'
import { exists, itemReading, type RunPaths } from './run-directory.js'
import { endedResult, inResultOrder, type RunHead } from './run-head.js'
import { runHeadFromJson } from './run-json.js'

/** Shorter runs are read as quickly as their brief would be. */
const longBytes = 32 * 1024 * 1024

/**
 * A long run that has ended, by its brief, which is made when there is none: its items are read when they are first asked
 * for. `undefined` for any other run.
 *
 * @throws `record-invalid` when the brief has to be made, and the trials are damaged
 */
export async function loadLongRun(paths: RunPaths): Promise<ExperimentResult | undefined> {
  const state = await itemsState(paths)
  if (state === undefined || state.bytes < longBytes) return undefined
  const head = runHeadFromJson(await readFile(paths.head, 'utf8'), paths.head)
  if (head.status === 'running') return undefined
  const briefs = (await readBrief(paths, state)) ?? (await makeBrief(paths, state))
  const isUnchanged = isSame(state, (await itemsState(paths)) ?? state) && !(await exists(paths.next))
  return briefs !== undefined && isUnchanged ? longResult(paths, head, state, briefs) : undefined
}

/** `loadLongRun` for the head of a run that its writer has just ended. */
export async function endLongRun(paths: RunPaths, head: RunHead): Promise<ExperimentResult | undefined> {
  const state = await itemsState(paths)
  if (state === undefined || state.bytes < longBytes) return undefined
  const briefs = await makeBrief(paths, state)
  return briefs && longResult(paths, head, state, briefs)
}

/** Reads every trial for what is told of it, and keeps that. `undefined` when the last line is torn. */
async function makeBrief(paths: RunPaths, state: ItemsState): Promise<readonly PlacedBrief[] | undefined> {
  const { accept, damaged } = itemReading(paths)
  let offset = 0
  const lines = await readJsonLines(paths.items, {
    damaged,
    accept(value, number, line): PlacedBrief {
      const length = Buffer.byteLength(line)
      const placed = { ...briefOf(accept(value, number, line)), offset, length }
      offset += length + 1
      return placed
    },
  })
  if (lines === undefined || lines.torn) return undefined
  await writeBrief(paths, state, lines.values)
  return lines.values
}

function longResult(
  paths: RunPaths,
  head: RunHead,
  state: ItemsState,
  briefs: readonly PlacedBrief[],
): ExperimentResult {
  const trials = inResultOrder(briefs, head.itemOrder)
  const readAll = () => {
    closeSync(openItems(paths, state))
    return readJsonLinesSync(paths.items, state.bytes, itemReading(paths))
  }
  return withBriefs(endedResult(head, trials, readAll), {
    trials,
    read: (wanted) => readPlaces(paths, state, wanted as readonly PlacedBrief[]),
  })
}

function readPlaces(paths: RunPaths, state: ItemsState, places: readonly PlacedBrief[]): readonly ItemResult[] {
  const { accept } = itemReading(paths)
  const file = openItems(paths, state)
  try {
    return places.map((place, index) => {
      const { offset, length } = place
      const bytes = Buffer.alloc(length)
      readSync(file, bytes, 0, length, offset)
      const line = bytes.toString('utf8')
      const item = accept(parsed(line) ?? hasChanged(paths), index + 1, line)
      return item.itemId === place.itemId && item.repetition === place.repetition ? item : hasChanged(paths)
    })
  } finally {
    closeSync(file)
  }
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
