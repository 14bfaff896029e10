/**
 * Runs that many machines share: workers run the trials of a queue, and shards are merged into one run. Guide:
 * docs/guide/many-machines.md.
 */
import './errors.js'

export { type MergeOptions, mergeRuns } from './merge-plan.js'
export { runWorker, type WorkerEvent, type WorkerOptions, type WorkerSummary } from './worker.js'
