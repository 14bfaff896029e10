import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { findTrial } from '../answers/find-trial.js'
import type { Shelf } from '../answers/shelf.js'
import { behaviourDocument } from './behaviour.js'
import { changesBetween } from './changes.js'
import { type FileSide, fileSide } from './file-side.js'
import { journalDocument } from './journal.js'
import { type Against, type Places, sidesOf } from './sides.js'

/** Both sides of one changed file. */
export interface FileDocument {
  readonly path: string
  readonly before: FileSide
  readonly after: FileSide
}

/**
 * What only files can tell: the behaviour of agents in a run, the journal of a trial, the changes of its workspace, and one changed file.
 *
 * @returns `undefined` for what does not exist, and for every other path
 */
export async function fileAnswer(
  places: Places,
  shelf: Shelf,
  path: readonly string[],
  query: URLSearchParams,
): Promise<unknown> {
  const [kind, id = '', items, itemId, repetition, part] = path
  if (kind !== 'runs') return undefined
  if (items === 'behaviour' && path.length === 3) return behaviourOf(places, shelf, id)
  if (items !== 'items' || path.length !== 6) return undefined
  const run = await shelf.run(id)
  if (run === undefined || itemId === undefined) return undefined
  const found = findTrial(run, { itemId, repetition: Number(repetition) })
  if (found === undefined) return undefined
  const { item } = found
  switch (part) {
    case 'journal':
      return journalDocument(places, run, item)
    case 'changes':
      return changesAnswer(places, run, item, query)
    case 'file':
      return fileDocument(places, run, item, query)
    default:
      return undefined
  }
}

async function behaviourOf(places: Places, shelf: Shelf, id: string) {
  const run = await shelf.run(id)
  return run && behaviourDocument(places, run)
}

async function changesAnswer(places: Places, run: ExperimentResult, item: ItemResult, query: URLSearchParams) {
  const sides = await sidesOf(places, run, item, againstOf(query))
  return typeof sides === 'string' ? { state: 'unknown', reason: sides } : changesBetween(sides)
}

async function fileDocument(
  places: Places,
  run: ExperimentResult,
  item: ItemResult,
  query: URLSearchParams,
): Promise<FileDocument | undefined> {
  const path = query.get('path') ?? ''
  const sides = await sidesOf(places, run, item, againstOf(query))
  if (typeof sides === 'string' || path === '') return undefined
  const [before, after] = [await fileSide(sides.before, path), await fileSide(sides.after, path)]
  return before.kind === 'absent' && after.kind === 'absent' ? undefined : { path, before, after }
}

function againstOf(query: URLSearchParams): Against {
  return query.get('against') === 'reference' ? 'reference' : 'before'
}
