import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { JuristError } from '@jurist/core'
import { type BriefSource, withBriefs } from '../result/brief-trials.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import type { TrialBrief } from '../result/trial-brief.js'
import type { TrialFigures } from '../result/trial-figures.js'
import { type ItemsState, itemsState, makeBrief, readBrief, readBriefSync, stateOf } from './brief-file.js'
import type { Briefs } from './brief-rows.js'
import { diskFailure, shown } from './disk-failure.js'
import { readJsonLinesSync } from './json-lines.js'
import { exists, itemReading, type RunPaths } from './run-directory.js'
import { endedResult, inResultOrder, type RunHead } from './run-head.js'
import { runHeadFromJson } from './run-json.js'

/** Shorter runs are read as quickly as their brief would be. */
const longBytes = 32 * 1024 * 1024

/**
 * A long run that has ended, by its brief, which is made when there is none: its items are read when they are first asked
 * for. `undefined` for any other run, and where no brief can be kept.
 *
 * @throws `record-invalid` when the brief has to be made, and the trials are damaged
 */
export async function loadLongRun(paths: RunPaths): Promise<ExperimentResult | undefined> {
  const state = await itemsState(paths)
  if (state === undefined || state.bytes < longBytes) return undefined
  const head = runHeadFromJson(await readFile(paths.head, 'utf8'), paths.head)
  if (head.status === 'running') return undefined
  let briefs = await readBrief(paths, state)
  if (briefs === undefined && (await makeBrief(paths, state))) briefs = await readBrief(paths, state)
  // The head may be that of a run that was put in its place meanwhile.
  const now = await itemsState(paths)
  const isReplaced = now?.inode !== state.inode || (await exists(paths.next))
  if (briefs === undefined || isReplaced) return undefined
  const read = briefs
  return longResult(
    paths,
    head,
    state,
    sourceOf(paths, head, state, () => read),
  )
}

/**
 * `loadLongRun` for a run that its writer has just ended.
 *
 * @param figures those of its trials, in result order
 */
export async function endLongRun(
  paths: RunPaths,
  head: RunHead,
  figures: readonly TrialFigures[],
): Promise<ExperimentResult | undefined> {
  const state = await itemsState(paths)
  if (state === undefined || state.bytes < longBytes || !(await makeBrief(paths, state))) return undefined
  const source = sourceOf(paths, head, state, () => readBriefSync(paths, state) ?? hasChanged(paths))
  return longResult(paths, head, state, source, figures)
}

function longResult(
  paths: RunPaths,
  head: RunHead,
  state: ItemsState,
  source: BriefSource,
  figures: readonly TrialFigures[] = source.trials(),
): ExperimentResult {
  const readAll = () => {
    closeSync(openItems(paths, state))
    return readJsonLinesSync(paths.items, state.bytes, itemReading(paths))
  }
  return withBriefs(endedResult(head, figures, readAll), source)
}

/** The trials of a run: brief, and whole where they are asked for. */
function sourceOf(paths: RunPaths, { itemOrder }: RunHead, state: ItemsState, read: () => Briefs): BriefSource {
  let known: (Briefs & { readonly ordered: readonly TrialBrief[] }) | undefined
  function briefs(): NonNullable<typeof known> {
    if (known !== undefined) return known
    const { trials, lengths } = read()
    known = { trials, lengths, ordered: inResultOrder(trials, itemOrder) }
    return known
  }
  return {
    trials: () => briefs().ordered,
    read: (wanted) => readWhole(paths, state, briefs(), wanted),
  }
}

function readWhole(
  paths: RunPaths,
  state: ItemsState,
  briefs: Briefs,
  wanted: readonly TrialBrief[],
): readonly ItemResult[] {
  const { accept } = itemReading(paths)
  const places = placesOf(briefs, new Set(wanted))
  const file = openItems(paths, state)
  try {
    return wanted.map((trial, index) => {
      const { offset, length } = places.get(trial) ?? hasChanged(paths)
      const bytes = Buffer.alloc(length)
      readSync(file, bytes, 0, length, offset)
      const line = bytes.toString('utf8')
      const item = accept(parsed(line) ?? hasChanged(paths), index + 1, line)
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
