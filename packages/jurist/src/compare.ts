/**
 * Comparisons of two runs item by item, or of several runs together: pass rates, scores, cost, time and changed items.
 *
 * @example
 * import { compare } from 'jurist/compare'
 *
 * const { conclusion, passRate } = compare(baseline, candidate)
 */
export * from '@jurist/experiment/compare'
