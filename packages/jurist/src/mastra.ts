/**
 * The bridge to Mastra: contexts from its results, and its agents as agents.
 *
 * @example
 * import { mastraAgent } from 'jurist/mastra'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/mastra'
