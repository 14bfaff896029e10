import { isPlainObject } from '@jurist/core/internal'
import type { ColumnMap } from './dataset.js'

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

/** The path of a place. */
export function pathOf(place: DatasetPath): string {
  return typeof place === 'string' ? place : place.path
}

/** The place with another path. */
export function withPath(place: DatasetPath, path: string): DatasetPath {
  return typeof place === 'string' ? path : { ...place, path }
}
