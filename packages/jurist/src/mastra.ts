/**
 * Mastra: contexts of its results, its agents as agents.
 *
 * @example
 * import { mastraAgent } from 'jurist/mastra'
 */
export * from '@jurist/bridges/mastra'
