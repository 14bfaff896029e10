/**
 * The results of a run: its figures, its trials, the outcome and the reason of each, and amounts as text.
 *
 * @example
 * import { outcomeOf, percent } from 'jurist/result'
 */
export * from '@jurist/experiment/result'
