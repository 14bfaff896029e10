/**
 * LangChain: contexts of its messages, its chat models as judges, its graphs as agents.
 *
 * @example
 * import { langChainModel } from 'jurist/langchain'
 */
export * from '@jurist/bridges/langchain'
