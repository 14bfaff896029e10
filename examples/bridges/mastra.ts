import { evaluateMastra, type MastraResult } from '@jurist/bridges/mastra'
import { type Judgment, outputText } from '@jurist/core'

/** What `new Agent({ … })` of '@mastra/core' makes; here it stands for one, asking the server itself. */
const agent = (url: string) => ({
  async generate(prompt: string, { abortSignal }: { abortSignal: AbortSignal }): Promise<MastraResult> {
    const body = JSON.stringify({ model: 'qwen3', messages: [{ role: 'user', content: prompt }] })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers, signal: abortSignal })
    const { choices } = (await answer.json()) as { choices: { message: { content: string }; finish_reason: string }[] }
    return { text: choices[0]?.message.content, finishReason: choices[0]?.finish_reason, steps: [] }
  },
})

/** One run of an agent of Mastra is judged, a failure too. */
export function main(url: string): Promise<Judgment> {
  const goal = 'What is the capital of France?'
  const run = (abortSignal: AbortSignal) => agent(url).generate(goal, { abortSignal })
  return evaluateMastra(run, outputText({ contains: 'Paris' }), { goal, timeoutMs: 60_000 })
}
