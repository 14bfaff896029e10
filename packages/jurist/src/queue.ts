/**
 * Trials that many machines share: the queue, and the workers that run its trials.
 *
 * @example
 * import { runWorker } from 'jurist/queue'
 */
export * from '@jurist/experiment/queue'
