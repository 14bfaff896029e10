/** Trials that many machines share: the queue, and the workers that run its trials. Guide: docs/guide/many-machines.md. */
import '../errors.js'

export { exhausted, type RunSpending, type SpendingLimits, withTrial } from '../result/spending.js'
export type * from '../store/trial-queue.js'
export { runWorker, type WorkerOptions } from './worker.js'
export type { WorkerEvent, WorkerSummary } from './worker-events.js'
