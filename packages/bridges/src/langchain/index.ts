/**
 * LangChain: contexts of its messages and of its agents' states, its chat models as judges, its graphs as agents.
 *
 * @example
 * import { evaluateLangChain, langChainModel } from '@jurist/bridges/langchain'
 * import { faithfulness } from '@jurist/core/rag'
 *
 * const grounded = faithfulness({ model: langChainModel(new ChatOpenAI({ model: 'gpt-5-mini' })) })
 * const run = (signal: AbortSignal) => agent.invoke({ messages }, { signal })
 * const judgment = await evaluateLangChain(run, grounded, { goal: 'Answer from the documents' })
 */
import '../errors.js'

export type { Prices } from '../context/cost.js'
export type { ContextExtras, RunExtras } from '../context/extras.js'
export type { Evaluate, Observe, Observed, Run } from '../run/observe.js'
export type { LangChainDocument } from './messages.js'
export { type LangChainModelOptions, langChainModel } from './model.js'
export type { LangChainMessage, LangChainModel, LangChainResult } from './runs.js'
export {
  contextFromLangChain,
  evaluateLangChain,
  type LangChainExtras,
  langChainAgent,
  langChainKeys,
  observeLangChain,
} from './runs.js'
