/** Trials that many machines share: the queue, and the workers that run its trials. Guide: docs/guide/many-machines.md. */
import '../errors.js'

export { exhausted, type RunSpending, withTrial } from '../result/spending.js'
export type * from '../store/trial-queue.js'
export { runWorker } from './worker.js'
export type { WorkerEvent } from './worker-events.js'
