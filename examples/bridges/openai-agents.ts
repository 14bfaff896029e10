import { evaluateOpenAiAgents, type OpenAiAgentsResult } from '@jurist/bridges/openai-agents'
import { type Judgment, outputText } from '@jurist/core'

/** What is imported in a project: 'openai' and '@openai/agents'. */
interface OpenAiAgents {
  OpenAI: new (options: object) => object
  OpenAIChatCompletionsModel: new (client: object, model: string) => object
  Agent: new (options: object) => object
  run(agent: object, input: string, options: object): Promise<OpenAiAgentsResult>
}

/** One run of an agent of the OpenAI Agents SDK is judged, a failure too. */
export function main(url: string, { OpenAI, OpenAIChatCompletionsModel, Agent, run }: OpenAiAgents): Promise<Judgment> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })
  const agent = new Agent({ name: 'geographer', model: new OpenAIChatCompletionsModel(client, 'qwen3') })
  const goal = 'What is the capital of France?'
  return evaluateOpenAiAgents((signal) => run(agent, goal, { signal }), outputText({ contains: 'Paris' }), {
    goal,
    timeoutMs: 60_000,
  })
}
