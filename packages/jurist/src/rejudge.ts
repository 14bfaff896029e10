/**
 * Judges the trials of a stored run again, without running its agent.
 *
 * @example
 * import { rejudge } from 'jurist/rejudge'
 *
 * const { passRate } = await rejudge('latest', strict, { store: 'results' }).result
 */
export * from '@jurist/experiment/rejudge'
