/**
 * Mastra: contexts of its results, its agents as agents.
 *
 * @example
 * import { mastraAgent } from 'jurist/mastra'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/mastra'
