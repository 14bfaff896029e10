import { statSync } from 'node:fs'
import { basename, dirname, extname } from 'node:path'
import { checkOptions, option } from '@jurist/core/internal'
import { columnRules } from './columns.js'
import type { ColumnMap, Dataset, DatasetPath, OpenDatasetOptions } from './dataset.js'
import { openDirectory } from './directory-dataset.js'
import type { ItemFilter } from './item.js'
import { manifestFile } from './manifest.js'
import { type DatasetProblem, refuseErrors, sortedProblems } from './problem.js'
import type { Opening } from './read-dataset.js'
import { datasetOf } from './read-dataset.js'
import { openRows, rowFormats } from './row-dataset.js'

/**
 * Opens a dataset: a directory with a `dataset.json`, or a file of rows (`.jsonl`, `.ndjson`, `.csv`, `.json`).
 * Items are read later, on demand.
 *
 * @throws `dataset-invalid` with every error of the list of items; `option-invalid`; the reason of `signal`
 *
 * @example
 * import { openDataset } from '@jurist/experiment/dataset'
 *
 * const dataset = await openDataset('dataset')
 * for await (const item of dataset.items({ bucket: 'simple' })) console.log(item.id, item.task)
 */
export async function openDataset(path: string, options?: OpenDatasetOptions): Promise<Dataset> {
  const { source, problems } = await open(path, options)
  refuseErrors(path, problems)
  if (source === null) throw new Error(`The dataset ${path} was refused without a reason.`)
  return datasetOf(source)
}

export function openFrom(place: DatasetPath): Promise<Dataset> {
  const { path, ...options } = typeof place === 'string' ? { path: place } : place
  return openDataset(path, options)
}

/**
 * All errors and warnings of a dataset and of the items that a filter selects, by default of all, whatever their status; also of
 * a dataset that cannot be opened. Sorted by file, then field.
 *
 * @throws `option-invalid` for a malformed filter
 */
export async function validateDataset(
  place: DatasetPath,
  filter: ItemFilter = { status: 'any' },
): Promise<readonly DatasetProblem[]> {
  const { path, ...options } = typeof place === 'string' ? { path: place } : place
  const { source, problems } = await open(path, options)
  // A dataset whose entries are all invalid is not empty.
  const looked = source !== null && (source.entries.length > 0 || problems.length === 0)
  const ofItems = looked ? await datasetOf(source).problems(filter) : []
  return sortedProblems([...problems, ...ofItems])
}

async function open(path: string, given: OpenDatasetOptions | undefined): Promise<Opening> {
  const options = checkOptions('openDataset', given, {
    allowLegacyRecipe: option.boolean,
    columns: option.record,
    signal: option.anything,
  })
  const columns = checkOptions('openDataset columns', options.columns, columnRules)
  options.signal?.throwIfAborted()
  try {
    return await openPath(path, options, columns)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && 'syscall' in thrown)) throw thrown
    return refused(path, `cannot be read: ${unreadable[String(thrown.code)] ?? thrown.message}.`, `Name ${kinds}.`)
  }
}

/** Reasons of file systems for refusing a path, by error code. */
const unreadable: { readonly [code: string]: string } = {
  ENAMETOOLONG: 'the path is too long',
  ENOTDIR: 'a part of the path is a file',
  EACCES: 'permission denied',
  ELOOP: 'its links lead in a circle',
}

async function openPath(path: string, options: OpenDatasetOptions, columns: ColumnMap): Promise<Opening> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return refused(path, 'does not exist.', `Name ${kinds}.`)
  if (found.isDirectory()) return openDirectory(path, options, columns)
  if (basename(path) === manifestFile) return openDirectory(dirname(path), options, columns)
  if (!found.isFile()) return refused(path, 'is not a regular file.', `Name ${kinds}.`)
  const format = rowFormats[extname(path).toLowerCase()]
  if (format === undefined) return refused(path, 'is not a dataset.', `Name ${kinds}.`)
  return openRows(path, format, columns)
}

const kinds = 'a directory that holds a dataset.json, or a .jsonl, .ndjson, .csv or .json file of rows'

function refused(path: string, problem: string, remedy: string): Opening {
  const only: DatasetProblem = { file: basename(path), item: null, field: null, problem, remedy, severity: 'error' }
  return { source: null, problems: [Object.freeze(only)] }
}
