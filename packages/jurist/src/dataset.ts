/**
 * Datasets on disk and in memory: directories, files of rows, filters.
 *
 * @example
 * import { openDataset } from 'jurist/dataset'
 *
 * const items = await openDataset('dataset')
 */
export * from '@jurist/experiment/dataset'
