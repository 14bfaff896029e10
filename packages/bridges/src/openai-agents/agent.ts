import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import type { Prices } from '../context/cost.js'
import { pricesRule } from '../context/cost.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { prefix } from './context.js'
import { readOpenAiAgents, readThrown } from './reading.js'
import type { OpenAiAgentsResult } from './shape.js'

/** What the result does not say. */
export interface OpenAiAgentsAgentOptions {
  /** The model that the agents ask, for the journal and for prices. */
  readonly model?: string
  readonly prices?: Prices
}

/**
 * An agent that runs agents of the OpenAI Agents SDK. The function must hand `task.signal` on.
 *
 * @param run one call of `run`
 * @throws `option-invalid`
 *
 * @example
 * const agent = openAiAgentsAgent(({ prompt, signal }) => run(assistant, prompt, { signal }), { model: 'gpt-5-mini' })
 */
export function openAiAgentsAgent(
  run: (task: AgentTask) => PromiseLike<OpenAiAgentsResult>,
  options?: OpenAiAgentsAgentOptions,
): Agent {
  const { model, prices } = checkOptions('openAiAgentsAgent', options, { model: option.string, prices: pricesRule })
  const read = (result: OpenAiAgentsResult) => readOpenAiAgents(result, model)
  const broken = (thrown: unknown, warnings: string[]) => {
    const more = readThrown(thrown, warnings)
    // What was used up to then was used by that model.
    return { ...more, facts: { ...more.facts, model } }
  }
  const call = frameworkAgent({ prefix, call: run, read, readThrown: broken, prices })
  return function openAiAgentsAgent(task) {
    return call(task)
  }
}
