/**
 * LangChain: contexts of its messages, its chat models as judges, its graphs as agents.
 *
 * @example
 * import { langChainModel } from 'jurist/langchain'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/langchain'
