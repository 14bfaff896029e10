import { JuristError } from '@jurist/core'
import { nearestNames } from '@jurist/kit/did-you-mean'
import type { Dataset, DatasetVersion } from './dataset.js'
import { type Selection, selectionOf } from './filter.js'
import { type AskedState, type GitState, gitStateOf } from './git-state.js'
import { sha256 } from './hash.js'
import type { DatasetEntry, DatasetItem, ItemFilter, UnhashedItem } from './item.js'
import { type DatasetProblem, refuseErrors, sortedProblems } from './problem.js'

export interface ItemReading {
  readonly entry: DatasetEntry
  /** `null` when it has errors. */
  readonly item: UnhashedItem | null
  readonly problems: readonly DatasetProblem[]
  /** Called only if `item` is not `null`. */
  hash(): string | Promise<string>
}

/** The functions that each kind of dataset provides; `datasetOf` adds the rest. */
export interface DatasetSource
  extends Pick<Dataset, 'name' | 'version' | 'description' | 'metadata' | 'directory' | 'entries' | 'columns'> {
  /** How messages name it. */
  readonly path: string
  /** The file that lists the items, as problems name it. */
  readonly file: string
  /** Warnings about the list itself. */
  readonly problems: readonly DatasetProblem[]
  /** The files whose git state is recorded; `null` for items in memory. */
  readonly files: { readonly directory: string; readonly path: string } | null
  /** Reads the item of the entry at a position. */
  readAt(position: number): ItemReading | Promise<ItemReading>
}

/** The result of opening. With errors the source is there only to find more of them; `null` when it cannot be. */
export interface Opening {
  readonly source: DatasetSource | null
  readonly problems: readonly DatasetProblem[]
}

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
function sourceOf(dataset: Dataset): DatasetSource | undefined {
  return sources.get(dataset)
}

async function* selectedItems(source: DatasetSource, selection: Selection): AsyncGenerator<DatasetItem, void> {
  for await (const reading of readingsOf(source, selection))
    if (reading.item === null || selection.contains(reading.item)) yield await hashed(reading, source.path)
}

/** The readings of the items that may be selected, in order. */
async function* readingsOf(source: DatasetSource, { mayContain }: Selection): AsyncGenerator<ItemReading, void> {
  for (const [position, entry] of source.entries.entries()) if (mayContain(entry)) yield await source.readAt(position)
}

/** The item of a reading with its hash; refuses one with errors. */
async function hashed(reading: ItemReading, path: string): Promise<DatasetItem> {
  refuseErrors(path, reading.problems)
  const { item } = reading
  if (item === null) throw new Error(`Item ${reading.entry.id} was refused without a reason.`)
  return Object.freeze({ ...item, hash: await reading.hash() })
}

/** Reads the selected items for their problems; `onSelected` sees each on the way. */
async function findProblems(
  source: DatasetSource,
  selection: Selection,
  onSelected?: (reading: ItemReading) => Promise<void>,
): Promise<readonly DatasetProblem[]> {
  const problems: DatasetProblem[] = [...source.problems]
  let selected = 0
  for await (const reading of readingsOf(source, selection)) {
    const { item, problems: found } = reading
    const outside = item !== null && !selection.contains(item)
    if (!outside) {
      selected += 1
      await onSelected?.(reading)
    }
    for (const problem of found) problems.push(outside ? { ...problem, severity: 'warning' } : problem)
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
  const problems = await findProblems(source, selectionOf(filter), async (reading) => {
    if (reading.item !== null && !reading.problems.some(isError)) items.push(await hashed(reading, source.path))
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

/**
 * Fields of an item that may change without making it another task: its repetitions, a jury of the program, and its named
 * tests.
 */
type ItemChange = Partial<Pick<DatasetItem, 'repetitions' | 'jury' | 'testsLock'>>

type ChangeOf = (item: Pick<DatasetItem, 'id' | 'repetitions' | 'jury'>) => ItemChange

/**
 * The same dataset with other repetitions or another jury for its items. Hashes stay the same, since a run of the items
 * concerns the same tasks.
 */
export function changedItems(dataset: Dataset, changeOf: ChangeOf): Dataset {
  const source = sourceOf(dataset)
  if (source === undefined) return ofFunctions(dataset, changeOf)
  return datasetOf({
    ...source,
    async readAt(position) {
      const reading = await source.readAt(position)
      const { item } = reading
      return item === null ? reading : { ...reading, item: Object.freeze({ ...item, ...changeOf(item) }) }
    },
  })
}

function ofFunctions(dataset: Dataset, changeOf: ChangeOf): Dataset {
  const changedItem = (item: DatasetItem) => Object.freeze({ ...item, ...changeOf(item) })
  return Object.freeze<Dataset>({
    ...dataset,
    async *items(filter) {
      for await (const item of dataset.items(filter)) yield changedItem(item)
    },
    item: async (id) => changedItem(await dataset.item(id)),
  })
}
