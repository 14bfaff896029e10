/**
 * Where results are kept: in files or in memory, with caches and recordings of model answers beside them.
 *
 * @example
 * import { fileStore } from 'jurist/store'
 *
 * for await (const { id, passRate } of fileStore('results').list()) console.log(id, passRate)
 */
export * from '@jurist/experiment/store'
