import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { type Judgment, runJudge } from '@jurist/core'
import { correctness } from '@jurist/core/llm'

/** A model behind any server that speaks chat completions judges an answer. */
export function main(url: string): Promise<Judgment> {
  const model = openAiCompatibleModel({
    baseUrl: `${url}/v1`, // Ollama: http://localhost:11434/v1
    model: 'qwen3',
    timeoutMs: 60_000,
  })
  return runJudge(correctness({ model }), { goal: 'What is the capital of France?', agentOutput: 'Paris' })
}
