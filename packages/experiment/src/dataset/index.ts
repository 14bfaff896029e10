/**
 * Datasets: directories with items, files of rows, and items in a program.
 *
 * @example
 * import { openDataset } from '@jurist/experiment/dataset'
 *
 * const dataset = await openDataset('dataset')
 * for await (const item of dataset.items({ tags: ['simple'] })) console.log(item.id, item.task)
 */
import '../errors.js'

export type { Dataset } from './dataset.js'
export { matches } from './filter.js'
export { dataset } from './inline.js'
export type { InlineItem } from './inline-item.js'
export type { DatasetItem, ItemFilter } from './item.js'
export { openDataset } from './open-dataset.js'
export type { DatasetProblem } from './problem.js'
