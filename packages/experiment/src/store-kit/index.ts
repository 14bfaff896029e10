/**
 * For result stores of one's own: a database keeps strings, as `StoreBackend` defines, and `storeOver` turns it into a
 * `ResultStore`. A `TrialQueue` of the same database shares the trials of runs. Guide: docs/guide/extending.md.
 */
import '../errors.js'

export { exhausted, type RunSpending, type SpendingLimits, withTrial } from '../result/spending.js'
export type { Documents } from '../store/documents.js'
export type * from '../store/trial-queue.js'
export type * from './store-backend.js'
export type { KnownRun } from './store-backend.js'
export { storeOver } from './store-over.js'
