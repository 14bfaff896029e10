/**
 * Distributed runs: workers that share the trials of a queue, and shards that are merged into one run.
 *
 * @example
 * import { mergeRuns, runWorker } from 'jurist/distributed'
 */
export * from '@jurist/distributed'
