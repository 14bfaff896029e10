/**
 * Compares two runs item by item, or several together: pass rates, scores, cost, time and what changed.
 *
 * @example
 * import { compare } from 'jurist/compare'
 *
 * const { conclusion, passRate } = compare(baseline, candidate)
 */
export * from '@jurist/experiment/compare'
