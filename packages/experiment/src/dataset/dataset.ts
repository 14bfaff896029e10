import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { DatasetEntry, DatasetItem, ItemFilter } from './item.js'
import type { DatasetProblem } from './problem.js'

/** An open dataset: its entries are known, its items are read on demand. */
export interface Dataset {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly metadata: JsonObject
  /** The absolute directory of a directory dataset; `null` for rows and items in memory. */
  readonly directory: string | null
  readonly entries: readonly DatasetEntry[]
  /** The interpretation of each column of a file of rows, in the order of the file; absent for other datasets. */
  readonly columns?: readonly ColumnUse[]
  /**
   * The selected items in dataset order (without a filter: the active ones), read one by one.
   *
   * @throws `option-invalid` for a malformed filter, `dataset-invalid` when a selected item is broken
   */
  items(filter?: ItemFilter): AsyncIterable<DatasetItem>
  /**
   * One item, whatever its status.
   *
   * @throws `item-unknown` naming the nearest ids, `dataset-invalid` when the item is broken
   */
  item(id: string): Promise<DatasetItem>
  /** All errors and warnings of the selected items, sorted by file, then field. */
  problems(filter?: ItemFilter): Promise<readonly DatasetProblem[]>
  /** Identifies the selected tasks, for results. Reads the selected items. */
  describe(filter?: ItemFilter): Promise<DatasetVersion>
}

/**
 * The interpretation of a column: a field of an item, or `metadata`.
 *
 * @example
 * import { openDataset } from '@jurist/experiment/dataset'
 *
 * const { columns = [] } = await openDataset('questions.csv')
 * columns.map(({ column, role }) => `${column} → ${role}`) // ['question → task', 'answer → expected']
 */
export interface ColumnUse {
  readonly column: string
  readonly role: keyof ColumnMap
}

/** Identifies the tasks of a run. */
export interface DatasetVersion {
  readonly name: string
  readonly version: string
  /** SHA-256 (hex) over the ids and hashes of the selected items. */
  readonly hash: string
  /** The commit that the dataset was at; `null` outside git. */
  readonly gitCommit: string | null
  /** Whether the dataset has changes that are not committed; `false` outside git. */
  readonly dirty: boolean
  readonly activeItemCount: number
  readonly selectedItemCount: number
}

/** How a dataset is opened. */
export interface OpenDatasetOptions {
  /** Whether the old key `recipe` is read as `taskType` where that is absent. Default `true`. */
  readonly allowLegacyRecipe?: boolean
  /** For rows: the roles of columns that do not have the usual names. */
  readonly columns?: ColumnMap
  /** Cancels the opening. */
  readonly signal?: AbortSignal
}

/**
 * Names of columns, or of the keys of JSON rows. Each replaces the default names. Case, spaces, `_` and `-` do not count.
 */
export interface ColumnMap {
  /** Default `id`, `itemId`; without one, `row-` and the line. */
  readonly id?: string
  /** Default `task`, `developerTask`, `input`, `prompt`, `question`, `user_input`, `query`, `instruction`, `messages`. */
  readonly task?: string
  /**
   * The right answer; an array holds answers, any of which is right. Default `expected`, `expectedOutput`,
   * `ground_truth`, `ground_truths`, `reference`, `target`, `ideal`, `answer`.
   */
  readonly expected?: string
  /**
   * The reference data: a string or an array of strings. Default `referenceData`, `context`, `contexts`,
   * `retrieved_contexts`, `retrieval_context`.
   */
  readonly reference?: string
  /** Default `tags`: an array, or a string separated by `;` or `,`. */
  readonly tags?: string
  /** Default `bucket`. */
  readonly bucket?: string
  /** Default `taskType`. */
  readonly taskType?: string
  /** Default `status`. */
  readonly status?: string
  /**
   * An output that is judged without an agent. Default `output`, `actual`, `actual_output`, `response`, and `answer` where
   * `ground_truth` or `reference` holds the right answer.
   */
  readonly output?: string
  /** The judgment that is right. Default `label`, `expectedVerdict`, `verdict`, `human_label`. */
  readonly label?: string
  /**
   * The value of `task.input`: an object, or an array of chat messages. Default: `input` if it contains one, else the row
   * without its other roles and its answers. An array names every column that agents get.
   */
  readonly input?: string | readonly string[]
  /** Columns that only judges see, in the metadata. `jurist validate` warns of columns that are neither named nor known. */
  readonly metadata?: readonly string[]
  /** Judges of the row's own: the name of a jury of the config, or judges as in the config. Default `judges`. */
  readonly judges?: string
  /** Milliseconds for the agent. Default `timeoutMs`. */
  readonly timeoutMs?: string
  /** How often the row runs. Default `repetitions`. */
  readonly repetitions?: string
  /** The container image of the row's sandbox. Default `image`, where it does not name a picture. */
  readonly image?: string
  /**
   * Initial files of the workspace: contents by path, at most 100 files and 256 KB. Default: `files`, if it contains an
   * object.
   */
  readonly files?: string
}

/** A file of rows with the names of its columns. */
export interface DatasetFile {
  readonly path: string
  readonly columns?: ColumnMap
}

/** Where a dataset is: its path, or its path and its columns. */
export type DatasetPath = string | DatasetFile

/** Whether a value is the place of a dataset, and not the dataset itself. */
export function isDatasetPath(value: unknown): value is DatasetPath {
  return typeof value === 'string' || (isPlainObject(value) && typeof value['path'] === 'string' && !('items' in value))
}

export function pathOf(place: DatasetPath): string {
  return typeof place === 'string' ? place : place.path
}

export function withPath(place: DatasetPath, path: string): DatasetPath {
  return typeof place === 'string' ? path : { ...place, path }
}
