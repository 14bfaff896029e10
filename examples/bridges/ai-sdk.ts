import { type AiSdkLanguageModel, type AiSdkResult, aiSdkModel, evaluateAiSdk } from '@jurist/bridges/ai-sdk'
import { jury, outputText, type Verdict } from '@jurist/core'
import { correctness } from '@jurist/core/llm'

/** What is imported in a project: `generateText` of 'ai' (6 or 7), and a provider. */
interface AiSdk {
  generateText(options: object): Promise<AiSdkResult>
  createOpenAICompatible(options: { name: string; baseURL: string }): (model: string) => AiSdkLanguageModel
}

/** One run of the AI SDK goes before a jury: a rule, and a model of the AI SDK. */
export function main(url: string, { generateText, createOpenAICompatible }: AiSdk): Promise<Verdict> {
  const model = createOpenAICompatible({ name: 'local', baseURL: `${url}/v1` })('qwen3')
  const goal = 'What is the capital of France?'
  const judges = {
    city: outputText({ contains: 'Paris' }),
    correct: correctness({ model: aiSdkModel(model) }),
  }
  return evaluateAiSdk((abortSignal) => generateText({ model, prompt: goal, abortSignal }), jury({ judges }), {
    goal,
    timeoutMs: 60_000,
  })
}
