/**
 * LangChain: contexts of its messages and of its agents' states, its chat models as judges' models, its graphs as agents.
 *
 * @example
 * import { evaluateLangChain, langChainModel } from '@jurist/bridges/langchain'
 * import { faithfulness } from '@jurist/core/rag'
 * import { ChatOpenAI } from '@langchain/openai'
 *
 * const chat = new ChatOpenAI({ model: 'gpt-5-mini' })
 * const judgment = await evaluateLangChain(
 *   (signal) => chat.invoke('What is the refund period?', { signal }),
 *   faithfulness({ model: langChainModel(chat) }),
 *   { goal: 'What is the refund period?', referenceData: ['Refunds are possible within 30 days.'] },
 * )
 */
import '../errors.js'

export { type LangChainModelOptions, langChainModel } from './model.js'
export type { LangChainDocument } from './reading.js'
export {
  contextFromLangChain,
  evaluateLangChain,
  type LangChainExtras,
  type LangChainMessage,
  type LangChainModel,
  type LangChainResult,
  langChainAgent,
  observeLangChain,
} from './runs.js'
