import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { scriptedServer } from '@jurist/bridges/testing'
import { type Judgment, runJudge } from '@jurist/core'
import { correctness } from '@jurist/core/llm'

/** A test without a network: the model is a server on the loopback that fails once, then answers by the script. */
export async function main(): Promise<Judgment> {
  await using server = await scriptedServer(({ index }) =>
    index === 0 ? { status: 429, headers: { 'retry-after-ms': '10' } } : { text: 'It is.\nAnswer: YES' },
  )
  const model = openAiCompatibleModel({ baseUrl: `${server.url}/v1`, model: 'scripted' })
  return await runJudge(correctness({ model }), { goal: 'Name a city', agentOutput: 'Paris' })
}
