/**
 * The bridge to LangChain: contexts from its messages, its chat models as judge models, and its graphs as agents.
 *
 * @example
 * import { langChainModel } from 'jurist/langchain'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/langchain'
