/**
 * Distributed runs: a queue of trials that many machines share, and the workers that run them.
 *
 * @example
 * import { runWorker } from 'jurist/queue'
 */
export * from '@jurist/experiment/queue'
