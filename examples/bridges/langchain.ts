import { evaluateLangChain, type LangChainModel, type LangChainResult, langChainModel } from '@jurist/bridges/langchain'
import { jury, outputText, type Verdict } from '@jurist/core'
import { correctness } from '@jurist/core/llm'

/** What is imported in a project: `ChatOpenAI` of '@langchain/openai'. */
interface LangChain {
  ChatOpenAI: new (
    options: object,
  ) => LangChainModel & {
    invoke(text: string, options: object): Promise<LangChainResult>
  }
}

/** One answer of LangChain goes before a jury: a rule, and a model of LangChain. */
export function main(url: string, { ChatOpenAI }: LangChain): Promise<Verdict> {
  const chat = new ChatOpenAI({ model: 'qwen3', apiKey: 'none', configuration: { baseURL: `${url}/v1` } })
  const goal = 'What is the capital of France?'
  const judges = { city: outputText({ contains: 'Paris' }), correct: correctness({ model: langChainModel(chat) }) }
  return evaluateLangChain((signal) => chat.invoke(goal, { signal }), jury({ judges }), { goal, timeoutMs: 60_000 })
}
