import { JuristError } from '@jurist/core'
import { nearestNames } from '@jurist/kit/did-you-mean'
import type { Dataset, DatasetVersion } from './dataset.js'
import type { DatasetSource, ItemReading } from './dataset-source.js'
import { type Selection, selectionOf } from './filter.js'
import { type AskedState, type GitState, gitStateOf } from './git-state.js'
import { sha256 } from './hash.js'
import type { DatasetItem, ItemFilter, UnhashedItem } from './item.js'
import { type DatasetProblem, refuseErrors, sortedProblems } from './problem.js'

export function datasetOf(source: DatasetSource): Dataset {
  const { name, version, description, metadata, directory, entries, columns } = source
  let positions: ReadonlyMap<string, number> | undefined
  const dataset = Object.freeze<Dataset>({
    name,
    version,
    description,
    metadata,
    directory,
    entries,
    columns,
    items: (filter) => selectedItems(source, selectionOf(filter)),
    async item(id) {
      positions ??= new Map(entries.map((entry, position) => [entry.id, position]))
      const position = positions.get(id)
      if (position === undefined) return unknownItem(id, source)
      return hashed(await source.readAt(position), source.path)
    },
    problems: async (filter) => findProblems(source, selectionOf(filter)),
    describe: async (filter) => describe(source, filter),
  })
  sources.set(dataset, source)
  return dataset
}

const sources = new WeakMap<Dataset, DatasetSource>()

/** The source of a dataset; `undefined` for the user's own implementation. */
export function sourceOf(dataset: Dataset): DatasetSource | undefined {
  return sources.get(dataset)
}

async function* selectedItems(source: DatasetSource, selection: Selection): AsyncGenerator<DatasetItem, void> {
  for await (const readings of source.read(selection.mayContain))
    for (const reading of readings)
      if (reading.item === null || selection.contains(reading.item)) yield await hashed(reading, source.path)
}

/** The item of a reading with its hash; refuses one with errors. Returns synchronously when the hash is known. */
function hashed(reading: ItemReading, path: string): DatasetItem | Promise<DatasetItem> {
  refuseErrors(path, reading.problems)
  const { item } = reading
  if (item === null) throw new Error(`Item ${reading.entry.id} was refused without a reason.`)
  const hash = reading.hash()
  return typeof hash === 'string' ? withHash(item, hash) : hash.then((known) => withHash(item, known))
}

/** Field by field: spreading takes five times as long, which matters for thousands of rows. */
function withHash(item: UnhashedItem, hash: string): DatasetItem {
  const { id, slug, path, bucket, taskType, status, metadata, task, noChange, tags, knowledgeRefs } = item
  const { before, reference, expectedOutput, expectedAnyOf, referenceData } = item
  const { input, judges, jury, timeoutMs, repetitions, image, testsLock } = item
  return Object.freeze({
    id,
    slug,
    path,
    bucket,
    taskType,
    status,
    metadata,
    task,
    input,
    noChange,
    tags,
    knowledgeRefs,
    before,
    reference,
    expectedOutput,
    expectedAnyOf,
    referenceData,
    judges,
    jury,
    timeoutMs,
    repetitions,
    image,
    testsLock,
    hash,
  })
}

/** Reads the selected items for their problems; `onSelected` sees each on the way. */
async function findProblems(
  source: DatasetSource,
  selection: Selection,
  onSelected?: (reading: ItemReading) => void | Promise<void>,
): Promise<readonly DatasetProblem[]> {
  const problems: DatasetProblem[] = [...source.problems]
  let selected = 0
  for await (const readings of source.read(selection.mayContain)) {
    for (const reading of readings) {
      const { item, problems: found } = reading
      const outside = item !== null && !selection.contains(item)
      if (!outside) {
        selected += 1
        const seen = onSelected?.(reading)
        if (seen !== undefined) await seen
      }
      for (const problem of found) problems.push(outside ? { ...problem, severity: 'warning' } : problem)
    }
  }
  if (selected === 0) problems.push(emptySelection(source))
  return sortedProblems(problems)
}

function emptySelection({ file, entries }: DatasetSource): DatasetProblem {
  const problem = entries.length === 0 ? 'holds no items.' : `none of the ${entries.length} items is selected.`
  const remedy = entries.length === 0 ? 'Add an item.' : 'Widen the filter; without a status it selects active items.'
  return Object.freeze({ file, item: null, field: null, problem, remedy, severity: 'warning' })
}

async function describe(source: DatasetSource, filter: ItemFilter | undefined): Promise<DatasetVersion> {
  const pairs: Pick<DatasetItem, 'id' | 'hash'>[] = []
  const state = stateOf(source)
  for await (const { id, hash } of selectedItems(source, selectionOf(filter))) pairs.push({ id, hash })
  return versionOf(source, pairs, state)
}

/** The git state of a dataset's files; `undefined` for items in memory. */
function stateOf({ files }: DatasetSource, asked?: AskedState): Promise<GitState> | undefined {
  return files === null ? undefined : gitStateOf(files, asked)
}

/**
 * The version of a dataset with these items.
 *
 * @param state the git state of its files, which may be read at the same time as the items
 */
async function versionOf(
  source: DatasetSource,
  items: readonly Pick<DatasetItem, 'id' | 'hash'>[],
  state: Promise<GitState> | undefined,
): Promise<DatasetVersion> {
  const { name, version, entries } = source
  const pairs = [...items].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id, hash }) => [id, hash])
  const { gitCommit = null, dirty = false } = (await state) ?? {}
  return Object.freeze({
    name,
    version,
    hash: sha256(JSON.stringify(pairs)),
    gitCommit,
    dirty,
    activeItemCount: entries.filter(({ status }) => status === 'active').length,
    selectedItemCount: pairs.length,
  })
}

function unknownItem(id: string, { path, entries }: DatasetSource): never {
  const known = entries.map((entry) => entry.id)
  const near = nearestNames(id, known)
  const hint = near.length > 0 ? `Nearest: ${near.join(', ')}.` : `It begins with: ${known.slice(0, 5).join(', ')}.`
  const count = known.length === 1 ? '1 item' : `${known.length} items`
  const message = `No item ${JSON.stringify(id)} in ${path} (${count}). ${known.length === 0 ? 'Add one first.' : hint}`
  throw new JuristError('item-unknown', message, { id, known })
}

/** The selected items and their version; without them when one is broken. */
export interface SelectionReading {
  readonly problems: readonly DatasetProblem[]
  readonly selected: { readonly items: readonly DatasetItem[]; readonly version: DatasetVersion } | null
}

/**
 * Reads the items that a filter selects, once: what is wrong with them and, when nothing is, the items with their hashes
 * and the version that they make. A dataset of the user's own is asked through its functions, one after the other.
 *
 * @param asked what git was asked already, which may answer for the files of the dataset too
 */
export async function readSelection(
  dataset: Dataset,
  filter: ItemFilter | undefined,
  asked?: AskedState,
): Promise<SelectionReading> {
  const source = sourceOf(dataset)
  return source === undefined ? readByFunctions(dataset, filter) : readOnce(source, filter, asked)
}

async function readOnce(
  source: DatasetSource,
  filter: ItemFilter | undefined,
  asked: AskedState | undefined,
): Promise<SelectionReading> {
  const items: DatasetItem[] = []
  const state = stateOf(source, asked)
  const problems = await findProblems(source, selectionOf(filter), (reading) => {
    if (reading.item === null || reading.problems.some(isError)) return undefined
    const item = hashed(reading, source.path)
    if (item instanceof Promise) return item.then((known) => void items.push(known))
    items.push(item)
    return undefined
  })
  if (problems.some(isError)) return { problems, selected: null }
  return { problems, selected: { items, version: await versionOf(source, items, state) } }
}

async function readByFunctions(dataset: Dataset, filter: ItemFilter | undefined): Promise<SelectionReading> {
  const problems = await dataset.problems(filter)
  if (problems.some(isError)) return { problems, selected: null }
  const items: DatasetItem[] = []
  for await (const item of dataset.items(filter)) items.push(item)
  return { problems, selected: { items, version: await dataset.describe(filter) } }
}

function isError({ severity }: DatasetProblem): boolean {
  return severity === 'error'
}

/** Where the items of a dataset are, as far as it is known. */
interface DatasetPlace {
  /** The directory of the dataset, or of the file of rows; `null` for items in memory. */
  readonly directory: string | null
  /** The name of the file of rows; `null` for anything else. */
  readonly file: string | null
  /** Whether the items are written in the program. */
  readonly isInMemory: boolean
}

/** Where the items of a dataset are. A dataset of the user's own is not taken for one in memory. */
export function placeOf(dataset: Dataset): DatasetPlace {
  const source = sourceOf(dataset)
  if (source === undefined) return { directory: dataset.directory, file: null, isInMemory: false }
  const { files } = source
  const isRows = files !== null && source.directory === null
  return { directory: files?.directory ?? null, file: isRows ? files.path : null, isInMemory: files === null }
}
