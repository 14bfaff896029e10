import type { Agent, AgentTask } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import type { Prices } from '../context/cost.js'
import { pricesRule } from '../context/cost.js'
import type { FinishOptions } from '../context/extras.js'
import { finishRules } from '../context/extras.js'
import { frameworkAgent } from '../run/framework-agent.js'
import { prefix } from './context.js'
import { readMastra } from './reading.js'
import type { MastraResult } from './shape.js'

/**
 * An agent that calls an agent of Mastra. The function must hand `task.signal` on.
 *
 * @param generate one call of `agent.generate`
 * @throws `option-invalid`
 *
 * @example
 * const agent = mastraAgent(({ prompt, signal }) => assistant.generate(prompt, { abortSignal: signal }))
 */
export function mastraAgent(
  generate: (task: AgentTask) => PromiseLike<MastraResult>,
  options?: { readonly prices?: Prices } & FinishOptions,
): Agent {
  const { prices, ...finish } = checkOptions('mastraAgent', options, { prices: pricesRule, ...finishRules })
  const run = frameworkAgent({ prefix, call: generate, read: (result) => readMastra(result, finish), prices })
  return function mastraAgent(task) {
    return run(task)
  }
}
