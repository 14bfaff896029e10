/**
 * Result stores in files or in memory, and caches and recordings of model answers.
 *
 * @example
 * import { fileStore } from 'jurist/store'
 *
 * for await (const { id, passRate } of fileStore('results').list()) console.log(id, passRate)
 */
export * from '@jurist/experiment/store'
