import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { findTrial } from '../answers/item.js'
import type { RunReader } from '../answers/run-reader.js'
import { type Against, changesBetween, comparedDirectories, type ReadableDirectories } from './changes.js'
import { type FileContent, fileContent } from './contained-files.js'
import { behaviourDocument, journalDocument } from './journals.js'
import { promptDocument } from './prompt.js'

/** Both sides of one file. */
export interface FileDocument {
  readonly path: string
  readonly before: FileContent
  readonly after: FileContent
}

/**
 * The documents that are read from files: the behaviour of the agents in a run, the journal of a trial, the changes of
 * its workspace, and one of its files.
 *
 * @returns `undefined` if there is no such document, and for every other path
 */
export async function fileAnswer(
  directories: ReadableDirectories,
  reader: RunReader,
  path: readonly string[],
  query: URLSearchParams,
): Promise<unknown> {
  const [kind, id = '', items, itemId, repetition, part] = path
  if (kind !== 'runs') return undefined
  if (items === 'behaviour' && path.length === 3) return behaviourOf(directories, reader, id)
  if (items !== 'items' || path.length !== 6) return undefined
  const run = await reader.run(id)
  if (run === undefined || itemId === undefined) return undefined
  const found = await findTrial(run, { itemId, repetition: Number(repetition) })
  if (found === undefined) return undefined
  const { item } = found
  switch (part) {
    case 'journal':
      return journalDocument(directories, run, item)
    case 'changes':
      return changesAnswer(directories, run, item, query)
    case 'prompt':
      return promptDocument(directories, run, item)
    case 'file':
      return fileDocument(directories, run, item, query)
    default:
      return undefined
  }
}

async function behaviourOf(directories: ReadableDirectories, reader: RunReader, id: string) {
  const run = await reader.run(id)
  return run && behaviourDocument(directories, run)
}

async function changesAnswer(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
  query: URLSearchParams,
) {
  const compared = await comparedDirectories(directories, run, item, againstOf(query))
  return 'state' in compared ? compared : changesBetween(compared)
}

async function fileDocument(
  directories: ReadableDirectories,
  run: RunResult,
  item: ItemResult,
  query: URLSearchParams,
): Promise<FileDocument | undefined> {
  const path = query.get('path') ?? ''
  const compared = await comparedDirectories(directories, run, item, againstOf(query))
  if ('state' in compared || path === '') return undefined
  const [before, after] = [await fileContent(compared.before, path), await fileContent(compared.after, path)]
  return before.kind === 'absent' && after.kind === 'absent' ? undefined : { path, before, after }
}

function againstOf(query: URLSearchParams): Against {
  const against = query.get('against')
  return against === 'reference' || against === 'nothing' ? against : 'before'
}
